import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "../db/client";
import { seeded } from "../testing/random";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { ingestBatches } from "./ingest-batches";
import { measureCoverage } from "./measure-coverage";
import { readCoverage } from "./read-coverage";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const end = Math.floor(Date.now() / DAY) * DAY;
let world: ControlWorld;
beforeAll(async () => {
  world = await controlWorld();
});
afterAll(() => world.close());

test("coverage of days is that of their minutes: who reported, what is missing, what was dropped", async () => {
  const { db, environment } = world.control;
  const random = seeded(3);
  // gw-1 reports throughout, gw-2 misses a minute now and then, gw-3 drops something on its second day.
  const minutes = Array.from({ length: (3 * DAY) / MINUTE }, (_, i) => end - 3 * DAY + i * MINUTE);
  const batches = ["gw-1", "gw-2", "gw-3"].flatMap((gateway) =>
    minutes
      .filter(() => gateway !== "gw-2" || random() > 0.001)
      .map((fromMs, i) =>
        countBatch({
          ...{ environment, gateway, sequence: i + 1, fromMs },
          traffic: { requests: 10, refused: 0, local: 0, unchecked: 0 },
          dropped: { requests: gateway === "gw-3" && i === 2000 ? 7 : 0, clients: 0, hits: 0 },
        }),
      ),
  );
  await inTransaction(db, (tx) => ingestBatches(tx, batches));
  await db.gateway.createMany({
    data: ["gw-1", "gw-2", "gw-3"].map((id) => ({
      ...{ id, boot: "boot-0001", mode: "shared", heartbeat: {} },
      firstSeenAt: new Date(end - 9 * DAY),
      lastSeenAt: new Date(end),
    })),
  });
  const interval = { fromMs: end - 3 * DAY + 90 * MINUTE, toMs: end - 30 * MINUTE, nowMs: end };
  const spans = [
    { fromMs: end - 2.4 * DAY, toMs: end - 1.2 * DAY + 20_000 },
    { fromMs: end - DAY, toMs: Number.POSITIVE_INFINITY },
  ];
  const read = await readCoverage(db, interval);
  expect(read.hours.length).toBeGreaterThan(150);
  expect(read.minutes.length).toBeLessThan(400);
  const measured = measureCoverage({ ...interval, ...read, spans });
  const all = await db.gatewayMinute.findMany();
  const exact = measureCoverage({
    ...interval,
    spans,
    gateways: read.gateways,
    minutes: all.map(({ minute, gatewayId, ...row }) => ({
      minute: minute.getTime() / MINUTE,
      gateway: gatewayId,
      requests: Number(row.requests),
      batches: row.batches,
      missingBatches: row.missingBatches,
      droppedRequests: Number(row.droppedRequests),
      droppedClients: Number(row.droppedClients),
    })),
  });
  const { droppedShare, ...rest } = exact;
  expect(exact.perGateway.map(({ missingMinutes }) => missingMinutes > 0)).toEqual([
    false,
    true,
    false,
  ]);
  expect(measured).toMatchObject(rest);
  // Only how many requests an hour that lies inside by half had is not known by the minute.
  expect(measured.droppedShare).toBeCloseTo(droppedShare, 5);
  expect(droppedShare).toBeGreaterThan(0);
});
