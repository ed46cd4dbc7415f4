import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ReceivedBatch, takeBatches } from "../control/take-batches";
import type { CountBatch } from "../core/counts";
import { appendCountBatch } from "../redis/reports";
import type { DoomedIngest } from "../testing/doomed-ingest";
import { emptyRollUps, levelDifferences } from "../testing/roll-up-levels";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { runIngestCounts } from "./ingest-counts";
import { INGEST_GROUP } from "./read-stream";

// Over every level of the roll-ups: killed, doubled, or with an entry that the database refuses, nothing else changes.

const WAIT = { timeoutMs: 30_000 };
const root = fileURLToPath(new URL("../..", import.meta.url));
const now = Math.floor(Date.now() / 60_000) * 60_000;
const POISON = "key:poison";
let world: ControlWorld;

beforeAll(async () => {
  world = await controlWorld();
  // The last table of a transaction but one: what was written before it must go with it.
  await world.control.db.$executeRaw`
    ALTER TABLE client_day ADD CONSTRAINT no_poison CHECK (client <> 'key:poison')`;
});
afterAll(() => world.close());
beforeEach(async () => {
  const { db, redis, redisKeys } = world.control;
  await redis.del(redisKeys.counts);
  await emptyRollUps(db);
  await db.rejectedEntry.deleteMany();
});

/** Over an hour's end and two gateways; each batch has 10 requests, one client and one hit. */
function batch(sequence: number, client = "key:a", gateway = "gw-1"): CountBatch {
  const fromMs = now - sequence * 7 * 60_000;
  const named = {
    rule: "per-key-rate",
    revision: 1,
    mode: "enforce",
    lane: "live",
    plan: "free",
  } as const;
  const figures = { requests: 10, rejections: 2, newly: 0 };
  return countBatch({
    environment: world.control.environment,
    gateway,
    sequence,
    fromMs,
    traffic: { requests: 10, refused: 2, local: 0, unchecked: 0 },
    counts: [{ second: fromMs / 1000, route: "/v1/messages", ...named, ...figures }],
    clients: [{ minute: fromMs / 60_000, client, ...named, ...figures }],
    hits: [
      {
        ...named,
        atMs: fromMs,
        requestId: `r-${gateway}-${sequence}`,
        client,
        method: "GET",
        route: "/v1/messages",
        epoch: 1,
        version: 1,
        retryAfterSeconds: null,
      },
    ],
  });
}

const BATCHES = 12;
const everything = () =>
  Array.from({ length: BATCHES }, (_, i) => [
    batch(i + 1, "key:a", "gw-1"),
    batch(i + 1, i === 5 ? POISON : "key:b", "gw-2"),
  ]).flat();

async function send(batches: readonly CountBatch[]) {
  const { redis, redisKeys } = world.control;
  for (const one of batches) await appendCountBatch(redis, redisKeys, one);
}

/** Resolves when the process is dead, by its own SIGKILL. */
async function runDoomed(diesAfter: DoomedIngest["diesAfter"]): Promise<void> {
  const doomed: DoomedIngest = { config: world.control.config, diesAfter };
  const child = spawn(process.execPath, ["--import", "tsx", "lib/testing/doomed-ingest.ts"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { NODE_ENV: "test", PATH: process.env.PATH, DOOMED: JSON.stringify(doomed) },
  });
  const [code, signal] = await once(child, "exit");
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
}

async function left() {
  const { redis, redisKeys } = world.control;
  const [pending] = await redis.xpending(redisKeys.counts, INGEST_GROUP);
  return { pending, entries: await redis.xlen(redisKeys.counts) };
}

/** A worker that lives takes what is left. */
async function finish(): Promise<void> {
  const stopping = new AbortController();
  const ended = runIngestCounts(await world.openWorker(), stopping.signal);
  await waitFor(async () => (await left()).entries === 0, WAIT);
  stopping.abort();
  await ended;
}

/** What is at each level, and that all levels say the same. */
async function stored() {
  const { db } = world.control;
  expect(await levelDifferences(db)).toEqual([]);
  const sumOf = { _sum: { requests: true } } as const;
  const [counts, days, clients, clientDays, gateways] = await Promise.all([
    db.countMinute.aggregate(sumOf),
    db.countDay.aggregate(sumOf),
    db.clientHour.aggregate(sumOf),
    db.clientDay.aggregate(sumOf),
    db.gatewayHour.aggregate({ _sum: { requests: true, missingBatches: true } }),
  ]);
  return {
    requests: [counts, days, clients, clientDays, gateways].map(({ _sum }) =>
      Number(_sum.requests),
    ),
    missing: gateways._sum.missingBatches ?? 0,
    hits: await db.hitSample.count(),
    refused: (await db.rejectedEntry.findMany()).map(({ reason }) => reason),
  };
}

const good = 2 * BATCHES - 1;
const complete = {
  requests: [good * 10, good * 10, good * 10, good * 10, good * 10],
  missing: 1,
  hits: good,
  refused: [expect.stringContaining("Postgres refused it")],
};

test("killed again and again, at any write and between commits, doubled, and with an entry that breaks a constraint", async () => {
  await send(everything());
  // Writes 1 and 2 are settings and the lock; a batch with the poison makes each batch a transaction of its own.
  for (const diesAfter of [{ statement: 5 }, { commit: 4 }, { statement: 8 }])
    await runDoomed(diesAfter);
  const { pending } = await left();
  expect(Number(pending)).toBe(2 * BATCHES);
  await send(everything());
  await finish();
  expect(await stored()).toEqual({
    ...complete,
    refused: [...complete.refused, ...complete.refused],
  });
}, 90_000);

test("a worker killed after the one commit of many batches: the next finds them stored", async () => {
  const sent = everything().filter(({ clients }) => clients[0]?.client !== POISON);
  await send(sent);
  await runDoomed({ commit: 1 });
  expect(await stored()).toMatchObject({ requests: complete.requests, hits: good });
  await send(sent.slice(0, 5));
  await finish();
  expect(await stored()).toEqual({ ...complete, refused: [] });
}, 60_000);

test("over HTTP an entry that breaks a constraint takes no other with it", async () => {
  const received = everything().map((one, i): ReceivedBatch => ({ id: `${i}`, batch: one }));
  for (let i = 0; i < 2; i += 1) await takeBatches(world.control, { source: "http", received });
  expect(await stored()).toEqual(complete);
});
