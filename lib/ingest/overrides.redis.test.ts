import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ctx,
  createKey,
  endOverride,
  getDraft,
  getOverride,
  publish,
  putDraftItem,
  putOverride,
  rollbackVersion,
  withActor,
} from "../control";
import type { Amount } from "../core/limit";
import { ADMIN } from "../testing/control";
import {
  echoUpstream,
  type Listening,
  startGateway,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld, TEST_TIMINGS } from "../testing/worker";
import { type RunningWorker, startWorker } from "./start-worker";

const SECOND = 1_000;
const DAY = 86_400_000;
const EVEN = { rate: 5, per: "1h", burst: 5 };
let server: TestRedis;
let world: ControlWorld;
let worker: RunningWorker;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateways: TestGateway[] = [];
let ctx: Ctx;
let key: { id: string; key: string };

beforeAll(async () => {
  server = await startRedis();
  world = await controlWorld({ redisUrl: server.url });
  worker = startWorker(world.another(), TEST_TIMINGS);
  upstream = await echoUpstream();
  folder = await temporaryFolder();
  ctx = withActor(world.control, ADMIN);
  await release(tokenBucketRule({ id: "per-key", limit: { default: EVEN } }), "five an hour");
  key = await createKey(ctx, { plan: "free", customer: "acme" });
  gateways = await Promise.all(["a", "b"].map(openGateway));
  await everywhere("5");
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await worker.stop();
  await upstream.close();
  await world.close();
  await server.stop();
  await folder.remove();
});

function openGateway(id: string): Promise<TestGateway> {
  return startGateway({
    id: `gateway-${id}`,
    environment: world.control.environment,
    redisUrl: server.url,
    upstream: upstream.url,
    dataDir: `${folder.path}/${id}`,
    secrets: world.control.config.secrets,
  });
}

async function release(rule: ReturnType<typeof tokenBucketRule>, message: string) {
  await putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
  const { currentVersion: baseVersion } = await getDraft(ctx);
  await publish(ctx, { message, baseVersion, acknowledgeGaps: true });
}

async function limitOf({ url }: TestGateway): Promise<string | null> {
  const answer = await fetch(url, { headers: { "x-api-key": key.key } });
  await answer.body?.cancel();
  return answer.headers.get("x-ratelimit-limit");
}

/** Ms until every gateway gives this limit. */
async function everywhere(limit: string | null): Promise<number> {
  const startMs = performance.now();
  await waitFor(
    async () => (await Promise.all(gateways.map(limitOf))).every((is) => is === limit),
    {
      timeoutMs: 10_000,
      intervalMs: 5,
      what: `limit ${limit} on every gateway`,
    },
  );
  return performance.now() - startMs;
}

function give(id: string, limit: Amount, lastsMs = DAY) {
  const expiresAt = new Date(Date.now() + lastsMs).toISOString();
  const client = `key:${key.id}`;
  const reason = "launch week";
  return putOverride(ctx, { id, client, rule: "per-key", limit, owner: "Dana", reason, expiresAt });
}

test("an override, a change of it and its end are on every gateway within a second", async () => {
  const tookMs: number[] = [];
  for (const rate of [100, 200, 300]) {
    await give("launch", { rate, per: "1h", burst: rate });
    tookMs.push(await everywhere(String(rate)));
  }
  await endOverride(ctx, { id: "launch" });
  tookMs.push(await everywhere("5"));
  // The middle one: a machine that is busy with other tests may hold up any single one.
  expect(tookMs.toSorted((a, b) => a - b)[1]).toBeLessThan(SECOND);
});

test("it outlives a rollback, on gateways that run and on one that starts anew", async () => {
  await release(tokenBucketRule({ id: "per-key", limit: { default: { ...EVEN, burst: 9 } } }), "9");
  await everywhere("9");
  await give("kept", { rate: 50, per: "1h", burst: 50 });
  await everywhere("50");
  await rollbackVersion(ctx, { number: 2 });
  await waitFor(() => gateways.every((gateway) => gateway.status().rules.applied?.version === 4));
  await everywhere("50");
  const [first, ...rest] = gateways;
  await first?.close();
  gateways = [await openGateway("a"), ...rest];
  await everywhere("50");
  await endOverride(ctx, { id: "kept" });
  await everywhere("5");
});

test("an expired one is never revived: not by a rollback, an emptied Redis or a gateway's own file", async () => {
  await give("short", { rate: 70, per: "1h", burst: 70 }, 4 * SECOND);
  await everywhere("70");
  await everywhere("5");
  await rollbackVersion(ctx, { number: 3 });
  await everywhere("9");
  await world.control.redis.flushall();
  await waitFor(() => gateways.every((gateway) => gateway.status().mode === "shared"));
  const [first, ...rest] = gateways;
  await first?.close();
  gateways = [await openGateway("a"), ...rest];
  await everywhere("9");
  expect(await getOverride(ctx, { id: "short" })).toMatchObject({ state: "expired" });
});

test("when it was last used is known, and of one that no request met, that it was not", async () => {
  await give("used", { rate: 80, per: "1h", burst: 80 });
  const { id } = await putOverride(ctx, {
    id: "unused",
    client: "customer:acme",
    rule: "per-key",
    limit: "unlimited",
    owner: "Dana",
    reason: "weaker than the key's own",
    expiresAt: new Date(Date.now() + DAY).toISOString(),
  });
  const sinceMs = Date.now();
  await everywhere("80");
  const lastUsedAt = await waitFor(async () => (await getOverride(ctx, { id: "used" })).lastUsedAt);
  expect(Date.parse(lastUsedAt)).toBeGreaterThan(sinceMs - SECOND);
  expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now() + SECOND);
  expect((await getOverride(ctx, { id })).lastUsedAt).toBeNull();
  await endOverride(ctx, { id: "used" });
  await everywhere(null);
  await waitFor(async () => (await getOverride(ctx, { id })).lastUsedAt);
});
