import { inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getTape, SYSTEM, withActor } from "../control";
import type { ClientId } from "../core/client-id";
import { decodeTapeBlock } from "../core/tape-block";
import { isInTapeSample } from "../core/tape-sample";
import {
  directoryOf,
  echoUpstream,
  type Listening,
  publishDirectory,
  publishRules,
  startGateway,
  type TestGateway,
  type TestKeys,
  temporaryFolder,
} from "../testing/gateway";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld } from "../testing/worker";
import { runIngestTape } from "./ingest-tape";

const KEYS: TestKeys = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `hg-key-${n}`,
    { id: `k${n}`, customer: `c${n}`, plan: n % 2 === 0 ? "free" : "paid" },
  ]),
);
let world: ControlWorld;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateways: TestGateway[];
let version = 0;
const stopping = new AbortController();
let ingest: Promise<void>;

beforeAll(async () => {
  world = await controlWorld();
  const { environment } = world.control;
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await publishDirectory(world.control.redis, directoryOf(environment, KEYS));
  const common = { environment, redisUrl: sharedRedisUrl(), upstream: upstream.url };
  gateways = await Promise.all(
    ["gateway-a", "gateway-b"].map((id) => startGateway({ ...common, dataDir: folder.path, id })),
  );
  ingest = runIngestTape(await world.openWorker(), stopping.signal);
});

afterAll(async () => {
  stopping.abort();
  await ingest;
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all([upstream.close(), folder.remove()]);
  await world.close();
});

async function publish(tape: { enabled: boolean; percent?: number }) {
  version += 1;
  const rule = tokenBucketRule({ limit: { default: { rate: 3, per: "1h", burst: 3 } } });
  const body = bodyOf([rule]);
  body.routes = ["/v1/links/:id"];
  body.settings.tape = { percent: 100, maxPerClientPerMinute: 1_000, ...tape };
  const { environment, redis } = world.control;
  await publishRules(redis, { environment, version, body });
  await waitFor(() =>
    gateways.every(
      ({ status }) => status().rules.applied?.version === version && status().directory.complete,
    ),
  );
}

function send(n: number, path: string, init: RequestInit = {}) {
  const headers = { "x-api-key": `hg-key-${n}`, ...init.headers };
  return fetch(`${gateways[n % 2]?.url}${path}`, { ...init, headers });
}

async function onTape() {
  const blocks = await world.control.db.tapeBlock.findMany({ orderBy: [{ fromAt: "asc" }] });
  return blocks.flatMap(({ bytes }) => decodeTapeBlock(inflateRawSync(bytes)));
}

const recorded = () => gateways.reduce((sum, { status }) => sum + status().tape.recorded, 0);

test("nothing is on tape until settings say so", async () => {
  await publish({ enabled: false });
  expect((await send(0, "/v1/links/1")).status).toBe(200);
  expect(recorded()).toBe(0);
});

test("each request of the chosen clients comes to Postgres once, as its route, and nobody else's", async () => {
  await publish({ enabled: true, percent: 50 });
  const startMs = Date.now();
  for (let n = 0; n < 20; n += 1)
    for (let i = 0; i < 4; i += 1) await send(n, `/v1/links/secret-${n}?token=hush`);
  const isTaped = (n: number) => isInTapeSample(`key:k${n}`, 5_000);
  const taped = Array.from({ length: 20 }, (_, n) => n).filter(isTaped);
  expect(taped.length).toBeGreaterThan(0);
  expect(taped.length).toBeLessThan(20);
  await waitFor(async () => (await onTape()).length >= taped.length * 4, { timeoutMs: 15_000 });
  const requests = await onTape();
  expect(requests).toHaveLength(taped.length * 4);
  expect(recorded()).toBe(taped.length * 4);
  for (const n of taped) {
    const own = requests.filter(({ client }) => client === `key:k${n}`);
    expect(own).toHaveLength(4);
    expect(own[0]).toMatchObject({
      plan: n % 2 === 0 ? "free" : "paid",
      customer: `c${n}`,
      ip: "127.0.0.1",
      method: "GET",
      route: "/v1/links/:id",
    });
    // The first answer of key 0 spent one before.
    expect(own.filter(({ refused }) => refused)).toHaveLength(n === 0 ? 2 : 1);
  }
  for (const { atUs } of requests) {
    expect(atUs / 1000).toBeGreaterThanOrEqual(startMs - 1);
    expect(atUs / 1000).toBeLessThanOrEqual(Date.now() + 1);
  }

  const stored = await world.control.db.tapeBlock.findMany();
  const text = stored.map(({ bytes }) => inflateRawSync(bytes).toString("latin1")).join();
  for (const secret of ["hg-key", "hush", "secret"]) expect(text).not.toContain(secret);
  const clients = new Set<ClientId>(taped.map((n): ClientId => `key:k${n}`));
  expect(await getTape(withActor(world.control, SYSTEM))).toMatchObject({
    requests: taped.length * 4,
    clients: clients.size,
    dropped: 0,
    missingBlocks: 0,
    sampling: 50,
    shares: [{ percent: 50, requests: taped.length * 4 }],
  });
});

test("a preflight is told from other OPTIONS, and a gateway that stops sends what it has", async () => {
  await publish({ enabled: true });
  const before = (await onTape()).length;
  const cors = { origin: "https://a.example", "access-control-request-method": "POST" };
  await send(1, "/v1/links/1", { method: "OPTIONS", headers: cors });
  await send(1, "/v1/links/1", { method: "OPTIONS" });
  await gateways[1]?.close();
  await waitFor(async () => (await onTape()).length === before + 2);
  const last = (await onTape()).filter(({ method }) => method === "OPTIONS");
  expect(last.map(({ preflight }) => preflight)).toEqual([true, false]);
  const tape = await getTape(withActor(world.control, SYSTEM));
  expect(tape.sampling).toBe(50);
  expect(tape.shares.map(({ percent }) => percent)).toEqual([100, 50]);
});
