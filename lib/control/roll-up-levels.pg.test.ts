import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CountBatch } from "../core/counts";
import { inTransaction } from "../db/client";
import { type Random, seeded } from "../testing/random";
import { emptyRollUps, levelDifferences } from "../testing/roll-up-levels";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { ingestBatches } from "./ingest-batches";

const MINUTE = 60_000;
const DAY = 86_400_000;
let world: ControlWorld;
beforeAll(async () => {
  world = await controlWorld();
});
afterAll(() => world.close());
beforeEach(() => emptyRollUps(world.control.db));

/** Around the last midnight of UTC, so that hours and days both change within. */
const midnight = Math.floor(Date.now() / DAY) * DAY;
const GATEWAYS = ["gw-1", "gw-2", "gw-3"];

function pick<T>(random: Random, of: readonly T[]): T {
  const found = of[Math.floor(random() * of.length)];
  if (found === undefined) throw new RangeError("nothing to pick from");
  return found;
}

function randomBatch(random: Random, gateway: string, sequence: number): CountBatch {
  const fromMs = midnight - 100 * MINUTE + Math.floor(random() * 200) * MINUTE;
  const named = () => ({
    rule: pick(random, ["per-key-rate", "new-links"]),
    revision: pick(random, [1, 2]),
    ...pick(random, [
      { mode: "enforce", lane: "live" },
      { mode: "shadow", lane: "live" },
      { mode: "shadow", lane: "candidate" },
    ] as const),
    plan: pick(random, ["free", "paid"]),
  });
  const figures = () => {
    const requests = Math.floor(random() * 50);
    const rejections = Math.floor(random() * requests);
    return { requests, rejections, newly: Math.floor(random() * rejections) };
  };
  const many = <T>(make: () => T) => Array.from({ length: Math.floor(random() * 6) }, make);
  return countBatch({
    environment: world.control.environment,
    gateway,
    sequence,
    fromMs,
    // A batch may end in the next minute.
    counts: many(() => ({
      ...named(),
      second: fromMs / 1000 + Math.floor(random() * 90),
      route: pick(random, ["/v1/a", "other"]),
      ...figures(),
    })),
    clients: many(() => ({
      ...named(),
      minute: fromMs / MINUTE + Math.floor(random() * 2),
      client: pick(random, ["key:a", "key:b", "ip:198.51.100.7", "other"]),
      ...figures(),
    })),
    hits: many(() => ({
      ...named(),
      atMs: fromMs + Math.floor(random() * 60_000),
      requestId: `r-${sequence}`,
      client: "key:a",
      method: "GET",
      route: "/v1/a",
      epoch: 1,
      version: 1,
      retryAfterSeconds: null,
    })),
    traffic: { requests: 50, refused: 1, local: 0, unchecked: 0 },
    dropped: { requests: Math.floor(random() * 3), clients: 0, hits: 1 },
  });
}

test.each([1, 2, 3])("hours and days are what their minutes come to, history %i", async (seed) => {
  const random = seeded(seed);
  const batches = GATEWAYS.flatMap((gateway) =>
    Array.from({ length: 40 }, (_, i) => randomBatch(random, gateway, i + 1)),
  );
  // Every tenth is lost or comes last, every fourth comes twice, and none in order.
  const sent = batches
    .filter(() => random() > 0.1)
    .flatMap((batch) => (random() < 0.25 ? [batch, batch] : [batch]))
    .map((batch) => ({ batch, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ batch }) => batch);
  for (let i = 0; i < sent.length; ) {
    const size = 1 + Math.floor(random() * 12);
    const some = sent.slice(i, i + size);
    await inTransaction(world.control.db, (tx) => ingestBatches(tx, some));
    i += size;
  }
  const { db } = world.control;
  expect(await levelDifferences(db)).toEqual([]);
  const stored = new Set(sent);
  const wanted = [...stored]
    .flatMap(({ counts }) => counts)
    .reduce((n, row) => n + row.requests, 0);
  const days = await db.countDay.aggregate({ _sum: { requests: true }, _count: true });
  expect(Number(days._sum.requests)).toBe(wanted);
  expect(days._count).toBeGreaterThan(10);
  const gaps = await db.gatewayHour.aggregate({ _sum: { missingBatches: true } });
  expect(gaps._sum.missingBatches).toBeGreaterThan(0);
});

test("the check of levels sees a row that one level does not have", async () => {
  const random = seeded(9);
  await inTransaction(world.control.db, (tx) =>
    ingestBatches(
      tx,
      [1, 2, 3, 4].map((n) => randomBatch(random, "gw-1", n)),
    ),
  );
  await world.control.db.$executeRaw`UPDATE client_hour SET peak = peak + 1`;
  await world.control.db.$executeRaw`DELETE FROM count_day`;
  expect((await levelDifferences(world.control.db)).length).toBeGreaterThan(1);
});
