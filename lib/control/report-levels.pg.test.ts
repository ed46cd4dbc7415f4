import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClientRow, CountRow } from "../core/counts";
import { inTransaction } from "../db/client";
import { type Random, seeded } from "../testing/random";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { SYSTEM, withActor } from "./context";
import { getRuleReport } from "./get-rule-report";
import { ingestBatches } from "./ingest-batches";

// What a report says of any interval, against sums over every single row that was sent.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AGES_DAYS = 120;
const nowMs = Math.floor(Date.now() / MINUTE) * MINUTE + 17_000;
const RULE = "new-links-free";
let world: ControlWorld;
const counts: CountRow[] = [];
const clients: ClientRow[] = [];

beforeAll(async () => {
  world = await controlWorld({ demo: true });
  const random = seeded(42);
  for (let sequence = 1; sequence <= 12; sequence += 1) {
    // Most of the time is old, most requests are young.
    const batches = Array.from({ length: 25 }, () => {
      const ageMs = random() ** 3 * AGES_DAYS * DAY;
      return Math.floor((nowMs - ageMs) / MINUTE) * MINUTE;
    }).map((fromMs, i) => batchAt(fromMs, sequence * 25 + i, random));
    await inTransaction(world.control.db, (tx) => ingestBatches(tx, batches));
  }
});
afterAll(() => world.close());

function pick<T>(random: Random, of: readonly T[]): T {
  const found = of[Math.floor(random() * of.length)];
  if (found === undefined) throw new RangeError("nothing to pick from");
  return found;
}

const named = (random: Random) => ({
  rule: pick(random, [RULE, RULE, "per-key-rate"]),
  revision: pick(random, [1, 2]),
  mode: "shadow" as const,
  lane: pick(random, ["live", "live", "candidate"] as const),
  plan: pick(random, ["free", "paid"]),
});

function figures(random: Random) {
  const requests = 1 + Math.floor(random() * 50);
  const rejections = Math.floor(random() * requests);
  return { requests, rejections, newly: Math.floor(random() * rejections) };
}

function batchAt(fromMs: number, sequence: number, random: Random) {
  const rows = Array.from({ length: 4 }, () => ({
    ...named(random),
    second: fromMs / 1000,
    route: pick(random, ["/v1/links", "other"]),
    ...figures(random),
  }));
  const hit = Array.from({ length: 3 }, () => ({
    ...named(random),
    minute: fromMs / MINUTE,
    client: pick(random, ["key:a", "key:b", "key:c", "ip:198.51.100.7"]),
    ...figures(random),
  }));
  counts.push(...rows);
  clients.push(...hit);
  return countBatch({
    environment: world.control.environment,
    sequence,
    fromMs,
    counts: rows,
    clients: hit,
  });
}

const isAsked = (row: { rule: string; lane: string }) => row.rule === RULE && row.lane === "live";
const sum = (rows: readonly { requests: number; newly: number }[]) => ({
  requests: rows.reduce((n, row) => n + row.requests, 0),
  rejections: rows.reduce((n, row) => n + row.newly, 0),
});

function sumsBy<Row extends { requests: number; newly: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | number,
) {
  const groups = new Map<string | number, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return new Map([...groups].map(([key, group]) => [key, sum(group)]));
}

type Wanted = { plan: string; route: string; requests: number; newly: number; atMs: number };
type Filter = { plan?: string; route?: string; client?: string; revision?: number };

async function check(fromMs: number, toMs: number, filter: Filter) {
  const ctx = withActor(
    { ...world.control, clock: { nowMs: () => nowMs, monotonicMs: () => 0 } },
    SYSTEM,
  );
  const report = await getRuleReport(ctx, {
    id: RULE,
    mode: "shadow",
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    ...filter,
  });
  const [from, to] = [Date.parse(report.from), Date.parse(report.to)];
  expect(from).toBeLessThanOrEqual(fromMs);
  expect(to).toBeGreaterThanOrEqual(Math.min(toMs, nowMs));
  const isMoved = from !== Math.floor(fromMs / MINUTE) * MINUTE || to > toMs + MINUTE;
  expect(report.resolution.notes.some((note) => note.includes(" moved to "))).toBe(isMoved);
  const { parts } = report.resolution;
  expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([report.from, report.to]);
  for (const [i, part] of parts.entries()) if (i > 0) expect(part.from).toBe(parts[i - 1]?.to);

  const isIn = (ms: number) => ms >= from && ms < to;
  const fits = (row: { plan: string; revision: number }) =>
    (filter.plan === undefined || row.plan === filter.plan) &&
    (filter.revision === undefined || row.revision === filter.revision);
  const ofClients = clients.filter(
    (row) =>
      isAsked(row) &&
      fits(row) &&
      isIn(row.minute * MINUTE) &&
      (filter.client === undefined || row.client === filter.client),
  );
  const wanted: Wanted[] =
    filter.client === undefined
      ? counts
          .filter(
            (row) =>
              isAsked(row) &&
              fits(row) &&
              isIn(row.second * 1000) &&
              (filter.route === undefined || row.route === filter.route),
          )
          .map((row) => ({ ...row, atMs: row.second * 1000 }))
      : ofClients.map((row) => ({ ...row, route: "", atMs: row.minute * MINUTE }));
  const { requests, rejections } = report;
  expect({ requests, rejections }).toEqual(sum(wanted));
  expect(new Map(report.byPlan.map((row) => [row.plan, shown(row)]))).toEqual(
    sumsBy(wanted, (row) => row.plan),
  );
  if (filter.client === undefined)
    expect(new Map(report.routes.map((row) => [row.route, shown(row)]))).toEqual(
      sumsBy(wanted, (row) => row.route),
    );
  const stepMs = report.stepSeconds * 1000;
  expect(
    new Map(
      report.series.filter((row) => row.requests > 0).map((row) => [Date.parse(row.t), shown(row)]),
    ),
  ).toEqual(sumsBy(wanted, (row) => Math.floor(row.atMs / stepMs) * stepMs));

  const worstFrom =
    report.resolution.worstFrom === null ? to : Date.parse(report.resolution.worstFrom);
  const steps = sumsBy(
    wanted.filter(({ atMs }) => atMs >= worstFrom),
    (row) => Math.floor(row.atMs / 300_000) * 300_000,
  );
  const most = Math.max(0, ...[...steps.values()].map((row) => row.rejections));
  if (most === 0) expect(report.worst).toBeNull();
  else {
    expect(report.worst?.rejections).toBe(most);
    const step = Math.floor(Date.parse(report.worst?.from ?? "") / 300_000) * 300_000;
    expect(steps.get(step)?.requests).toBe(report.worst?.requests);
  }

  if (filter.route !== undefined) return;
  const hit = [...sumsBy(ofClients, (row) => row.client)].filter(([, row]) => row.rejections > 0);
  expect(report.clients).toBe(hit.length);
  for (const top of report.topClients) {
    const own = ofClients.filter((row) => row.client === top.client && row.plan === top.plan);
    expect(shown(top)).toEqual(sum(own));
    const minutes = sumsBy(own, (row) => `${row.minute} ${row.revision}`);
    expect(top.peak?.perMinute).toBe(Math.max(...[...minutes.values()].map((row) => row.requests)));
  }
}

function shown({ requests, rejections }: { requests: number; rejections: number }) {
  return { requests, rejections };
}

test("any interval with any filter has the sums of the rows that were sent, whatever levels it is read from", async () => {
  const random = seeded(7);
  const seen = new Set<string>();
  for (let i = 0; i < 40; i += 1) {
    const lengthMs = random() ** 2 * 90 * DAY + 2 * MINUTE;
    const toMs = nowMs - random() ** 2 * (AGES_DAYS * DAY - lengthMs);
    const filter = pick<Filter>(random, [
      {},
      { plan: "free" },
      { route: "other" },
      { plan: "paid", route: "/v1/links" },
      { client: "key:a" },
      { client: "key:b", plan: "free" },
      { revision: 2 },
    ]);
    await check(toMs - lengthMs, toMs, filter);
    seen.add(Object.keys(filter).join());
  }
  expect(seen.size).toBeGreaterThan(4);
});

test.each([
  ["an hour within minutes", 3 * HOUR, 2 * HOUR],
  ["whole days", 40 * DAY, 10 * DAY],
  ["from before hours are kept to now", 92 * DAY, 0],
  ["from before hours are kept, long ago", 119 * DAY, 100 * DAY],
  ["across the end of minutes", 15 * DAY, 13 * DAY],
])("%s", async (_, ageMs, toAgeMs) => {
  await check(nowMs - ageMs, nowMs - toAgeMs, {});
});
