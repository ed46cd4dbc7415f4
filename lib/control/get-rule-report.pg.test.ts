import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ReportSchema } from "../core/api/report";
import type { CountBatch } from "../core/counts";
import { DEMO_CONTENT } from "../core/demo-ruleset";
import { judgeEvidence } from "../core/evidence";
import { amountFor } from "../core/limit";
import { limitWords } from "../core/limit-words";
import { mostPerMinute } from "../core/most-per-minute";
import { inTransaction } from "../db/client";
import { emptyRollUps } from "../testing/roll-up-levels";
import { type ControlWorld, controlWorld, countBatch, heartbeat } from "../testing/worker";
import { SYSTEM, withActor } from "./context";
import { findCountStart } from "./find-count-start";
import { getCoverage } from "./get-coverage";
import { getRuleReport } from "./get-rule-report";
import { ingestBatches } from "./ingest-batches";
import { listHits } from "./list-hits";
import { ruleHits } from "./rule-hits";
import { setCandidateShare } from "./set-candidate-share";
import { setRuleMode } from "./set-rule-mode";
import { storeHeartbeat } from "./store-heartbeat";
import { tryCandidate } from "./try-candidate";

const MINUTE = 60_000;
let world: ControlWorld;
let base: number;

beforeAll(async () => {
  world = await controlWorld({ demo: true });
  // The shadow rule is as old as the database: what was counted lies after that.
  base = (Math.floor(Date.now() / MINUTE) + 1) * MINUTE;
});
afterAll(() => world.close());
beforeEach(async () => {
  await emptyRollUps(world.control.db);
  await world.control.db.gateway.deleteMany();
});

/** The verbs see this many minutes after the base. */
function at(minutes: number) {
  const nowMs = base + minutes * MINUTE;
  return withActor(
    { ...world.control, clock: { nowMs: () => nowMs, monotonicMs: () => 0 } },
    SYSTEM,
  );
}

const rule = {
  rule: "new-links-free",
  revision: 1,
  mode: "shadow",
  lane: "live",
  plan: "free",
} as const;

type Count = { plan?: string; route?: string; requests: number; rejections: number; newly: number };

/** One gateway's whole minute in one batch. */
function minuteBatch(
  gateway: string,
  minute: number,
  fields: Partial<CountBatch> & { count?: Count } = {},
) {
  const { count, ...rest } = fields;
  const fromMs = base + minute * MINUTE;
  return countBatch({
    environment: world.control.environment,
    gateway,
    sequence: minute + 1,
    fromMs,
    traffic: { requests: 100, refused: 0, local: 0, unchecked: 0 },
    ...(count && {
      counts: [{ ...rule, second: fromMs / 1000 + 5, route: "/v1/links", ...count }],
    }),
    ...rest,
  });
}

async function store(...batches: CountBatch[]) {
  await inTransaction(world.control.db, (tx) => ingestBatches(tx, batches));
}

async function hear(gateway: string, minute: number, fields = {}) {
  const receivedMs = base + minute * MINUTE;
  await inTransaction(world.control.db, (tx) =>
    storeHeartbeat(tx, {
      heartbeat: heartbeat({ environment: world.control.environment, gateway, ...fields }),
      receivedMs,
    }),
  );
}

const clientRow = (client: string, minute: number, figures: Count) => ({
  ...rule,
  minute: base / MINUTE + minute,
  client,
  ...figures,
});

const hit = (requestId: string, minute: number, second: number, fields = {}) => ({
  ...rule,
  atMs: base + minute * MINUTE + second * 1000,
  requestId,
  client: "key:a",
  method: "POST",
  route: "/v1/links",
  epoch: 1,
  version: 1,
  retryAfterSeconds: 10,
  ...fields,
});

/** Two gateways, minutes 0 to 3; the running minute is 4. */
async function storeDay() {
  for (const gateway of ["gw-1", "gw-2"]) await hear(gateway, 0);
  await store(
    minuteBatch("gw-1", 0, {
      count: { requests: 40, rejections: 10, newly: 8 },
      clients: [
        clientRow("key:a", 0, { requests: 20, rejections: 7, newly: 6 }),
        clientRow("key:b", 0, { requests: 5, rejections: 3, newly: 2 }),
      ],
      hits: [hit("r-1", 0, 5), hit("r-2", 0, 6, { client: "key:b", retryAfterSeconds: null })],
    }),
    minuteBatch("gw-2", 0, {
      count: { requests: 10, rejections: 2, newly: 2 },
      clients: [clientRow("key:a", 0, { requests: 10, rejections: 2, newly: 2 })],
      hits: [hit("r-3", 0, 5)],
    }),
    minuteBatch("gw-1", 1),
    minuteBatch("gw-2", 1),
    minuteBatch("gw-1", 2, {
      count: { route: "other", requests: 50, rejections: 5, newly: 0 },
      clients: [clientRow("ip:198.51.100.7", 2, { requests: 9, rejections: 5, newly: 0 })],
    }),
    minuteBatch("gw-2", 2),
    minuteBatch("gw-1", 3),
    minuteBatch("gw-2", 3),
    minuteBatch("gw-1", 4, { count: { requests: 4, rejections: 1, newly: 1 } }),
    minuteBatch("gw-2", 4),
  );
  for (const gateway of ["gw-1", "gw-2"]) await hear(gateway, 4.4);
}

test("figures are the sums of what both gateways counted, and shadow rejections are the newly rejected", async () => {
  await storeDay();
  const report = await getRuleReport(at(4.5), { id: "new-links-free" });
  expect(ReportSchema.parse(report)).toEqual(report);
  expect(report).toMatchObject({
    rule: "new-links-free",
    mode: "shadow",
    revision: 1,
    requests: 104,
    rejections: 11,
    newly: 11,
    wouldReject: 18,
    share: 11 / 104,
    clients: 2,
    clientsCapped: false,
    byPlan: [{ plan: "free", requests: 104, rejections: 11, wouldReject: 18, clients: 2 }],
    topClients: [
      { client: "key:a", plan: "free", requests: 30, rejections: 8, wouldReject: 9 },
      { client: "key:b", plan: "free", requests: 5, rejections: 2, wouldReject: 3 },
    ],
    routes: [
      { route: "/v1/links", requests: 54, rejections: 11 },
      { route: "other", requests: 50, rejections: 0, wouldReject: 5 },
    ],
  });
  expect(report.samples.map(({ requestId }) => requestId)).toEqual(["r-2", "r-3", "r-1"]);
});

test("filters by plan, route and client keep what they can and say what they cannot", async () => {
  await storeDay();
  await store(
    minuteBatch("gw-1", 3, {
      sequence: 200,
      count: { plan: "paid", requests: 30, rejections: 9, newly: 9 },
      clients: [
        { ...clientRow("key:p", 3, { requests: 30, rejections: 9, newly: 9 }), plan: "paid" },
      ],
    }),
  );
  const ask = (query: object) => getRuleReport(at(4.5), { id: "new-links-free", ...query });
  const paid = await ask({ plan: "paid" });
  expect(ReportSchema.parse(paid)).toEqual(paid);
  expect(paid).toMatchObject({
    filter: { plan: "paid", route: null, client: null },
    basis: "requests",
    requests: 30,
    rejections: 9,
    clients: 1,
    byPlan: [{ plan: "paid", clients: 1 }],
    topClients: [{ client: "key:p", plan: "paid", requests: 30, rejections: 9 }],
    routes: [{ route: "/v1/links", requests: 30 }],
    samples: [],
  });
  const other = await ask({ route: "other" });
  expect(other).toMatchObject({
    basis: "requests",
    requests: 50,
    clients: null,
    byPlan: [{ plan: "free", requests: 50, clients: null }],
    topClients: [],
    worst: null,
  });
  const client = await ask({ client: "key:a" });
  expect(ReportSchema.parse(client)).toEqual(client);
  expect(client).toMatchObject({
    filter: { plan: null, route: null, client: "key:a" },
    basis: "hitMinutes",
    requests: 30,
    rejections: 8,
    share: 8 / 30,
    clients: 1,
    routes: [],
    byPlan: [{ plan: "free", requests: 30, clients: 1 }],
    topClients: [{ client: "key:a" }],
  });
  expect(client.samples.map(({ requestId }) => requestId)).toEqual(["r-3", "r-1"]);
  expect(client.series.reduce((sum, { rejections }) => sum + rejections, 0)).toBe(8);
  expect(await ask({ client: "key:a", plan: "paid" })).toMatchObject({ requests: 0, share: null });
  await expect(ask({ client: "key:a", route: "other" })).rejects.toThrow(
    "client and route exclude one another",
  );
  await expect(ask({ client: "customer:acme" })).rejects.toThrow(
    "client must be key:<id> or ip:<address>, got customer:acme: a customer is counted by its keys",
  );
});

test("the worst five minutes are those of the clock with most rejections", async () => {
  await storeDay();
  const at300 = (second: number) => Math.floor(second / 300) * 300;
  const counts = new Map<number, { requests: number; rejections: number }>();
  for (const [minute, requests, rejections] of [
    [0, 50, 10],
    [2, 50, 0],
    [4, 4, 1],
  ] as const) {
    const step = at300(base / 1000 + minute * 60);
    const held = counts.get(step) ?? { requests: 0, rejections: 0 };
    counts.set(step, {
      requests: held.requests + requests,
      rejections: held.rejections + rejections,
    });
  }
  const [[step, sums] = [0, { requests: 1, rejections: 0 }]] = [...counts].toSorted(
    ([, a], [, b]) => b.rejections - a.rejections,
  );
  const { worst } = await getRuleReport(at(4.5), { id: "new-links-free" });
  expect(worst).toMatchObject({ ...sums, share: sums.rejections / sums.requests });
  expect(worst?.from).toBe(new Date(step * 1000).toISOString());
  await store(
    minuteBatch("gw-1", 12, { count: { requests: 20, rejections: 20, newly: 20 } }),
    minuteBatch("gw-1", 13, { count: { requests: 5, rejections: 1, newly: 1 } }),
  );
  const later = await getRuleReport(at(14), { id: "new-links-free" });
  expect(later.worst?.rejections).toBeGreaterThanOrEqual(20);
});

test("a client's peak stands beside the limit that holds for it", async () => {
  await storeDay();
  const { topClients } = await getRuleReport(at(4.5), { id: "new-links-free" });
  expect(topClients.map(({ client, peak }) => [client, peak?.perMinute])).toEqual([
    ["key:a", 30],
    ["key:b", 5],
  ]);
  const rule = DEMO_CONTENT.rules.find(({ id }) => id === "new-links-free");
  if (rule === undefined) throw new Error("the demo lost its shadow rule");
  const amount = amountFor(rule.limit, "free");
  if (amount === null) throw new Error("the demo's rule names no limit for plan free");
  expect(topClients[0]?.peak?.limit).toEqual({
    words: limitWords(rule.limit, amount),
    perMinute: mostPerMinute(rule.limit, amount, rule.cost),
    isOverride: false,
  });
});

test("the series has a point each step, and tells nothing reported from nothing rejected", async () => {
  await storeDay();
  const from = new Date(base - 2 * MINUTE).toISOString();
  const report = await getRuleReport(at(4.5), { id: "new-links-free", from });
  expect(report.stepSeconds).toBe(60);
  expect(
    report.series.map(({ requests, rejections, reported }) => [requests, rejections, reported]),
  ).toEqual([
    [0, 0, false],
    [0, 0, false],
    [50, 10, true],
    [0, 0, true],
    [50, 0, true],
    [0, 0, true],
    [4, 1, true],
  ]);
  const day = await getRuleReport(at(4.5), { id: "new-links-free" });
  expect(day.stepSeconds).toBe(300);
  expect(day.series.reduce((sum, { requests }) => sum + requests, 0)).toBe(104);
});

test("coverage says who reported, for how long, how much was dropped, and judges it by the bounds", async () => {
  await storeDay();
  const { coverage } = await getRuleReport(at(4.5), { id: "new-links-free" });
  expect(coverage).toMatchObject({
    gateways: 2,
    reporting: 2,
    dropped: 0,
    droppedShare: 0,
    sampling: 3 / 18,
    seconds: 270,
    enough: true,
    why: [],
    bounds: DEMO_CONTENT.settings.evidence,
  });
  await store(
    minuteBatch("gw-2", 3, { sequence: 100, dropped: { requests: 30, clients: 1, hits: 0 } }),
  );
  const worse = await getRuleReport(at(4.5), { id: "new-links-free" });
  expect(worse.clientsCapped).toBe(true);
  expect(worse.coverage.enough).toBe(false);
  expect(worse.coverage.dropped).toBeGreaterThan(30);
  expect(worse.coverage.why.join()).toMatch(/dropped/);
});

test("no gateway reported: no figure pretends to be zero rejections", async () => {
  const report = await getRuleReport(at(4.5), { id: "new-links-free" });
  expect(report.share).toBeNull();
  expect(report.series.every(({ reported }) => !reported)).toBe(true);
  expect(report.coverage).toMatchObject({
    gateways: 0,
    reporting: 0,
    enough: false,
    lastReportAt: null,
  });
  expect(report.coverage.why).toContain("no gateway has reported");
});

test("a rule that nothing matched was still watched", async () => {
  await hear("gw-1", 0);
  await store(minuteBatch("gw-1", 0), minuteBatch("gw-1", 1));
  await hear("gw-1", 1.9);
  const report = await getRuleReport(at(2), { id: "new-links-free" });
  expect(report).toMatchObject({ requests: 0, share: null, clients: 0, topClients: [] });
  expect(report.coverage).toMatchObject({ gateways: 1, reporting: 1, seconds: 120, enough: false });
  expect(report.coverage.why).toEqual(["no matched requests, at least 100 needed"]);
});

test("what another mode or another rule counted is not in the report", async () => {
  await storeDay();
  const enforce = await getRuleReport(at(4.5), { id: "new-links-free", mode: "enforce" });
  expect(enforce).toMatchObject({ mode: "enforce", requests: 0, coverage: { seconds: 0 } });
  expect(await getRuleReport(at(4.5), { id: "per-key-rate" })).toMatchObject({
    mode: "enforce",
    requests: 0,
  });
  await expect(getRuleReport(at(4.5), { id: "no-such-rule" })).rejects.toThrow(
    "there is no rule no-such-rule, and never was",
  );
});

test("an interval that makes no sense is refused with what was received", async () => {
  const from = new Date(base + 9 * MINUTE).toISOString();
  await expect(getRuleReport(at(4.5), { id: "new-links-free", from })).rejects.toThrow(
    "from must be before to and not in the future",
  );
  await expect(
    getRuleReport(at(4.5), { id: "new-links-free", from: "2020-01-01T00:00:00Z" }),
  ).rejects.toThrow("at most 92 days apart");
  await expect(getRuleReport(at(4.5), { id: "new-links-free", from: "yesterday" })).rejects.toThrow(
    'from must be an instant such as 2026-01-31T02:51:07Z or epoch milliseconds, got "yesterday"',
  );
});

test("the log pages newest first without repeating a row, and filters by client, plan and time", async () => {
  await storeDay();
  const first = await listHits(at(4.5), { id: "new-links-free", limit: 2 });
  expect(first.items.map(({ requestId }) => requestId)).toEqual(["r-2", "r-3"]);
  expect(first.sampling).toEqual({ seen: 18, kept: 3, share: 3 / 18 });
  await store(minuteBatch("gw-1", 5, { hits: [hit("r-late", 4, 1), hit("r-same", 0, 5)] }));
  const { next = "" } = first;
  const second = await listHits(at(4.5), { id: "new-links-free", limit: 2, cursor: next });
  expect(second.items.map(({ requestId }) => requestId)).toEqual(["r-1"]);
  expect(second.next).toBeUndefined();
  const ofClient = await listHits(at(4.5), { id: "new-links-free", client: "key:b" });
  expect(ofClient.items).toMatchObject([
    { requestId: "r-2", retryAfterSeconds: null, gateway: "gw-1" },
  ]);
  expect((await listHits(at(4.5), { id: "new-links-free", plan: "paid" })).items).toEqual([]);
  const to = new Date(base - MINUTE).toISOString();
  expect((await listHits(at(4.5), { id: "new-links-free", to })).items).toEqual([]);
  await expect(listHits(at(4.5), { id: "new-links-free", cursor: "x" })).rejects.toThrow("cursor");
});

test("a rule's activity is that of its mode, minute by minute, the running one last", async () => {
  await storeDay();
  const activity = await ruleHits(
    world.control.db,
    [
      { id: "new-links-free", mode: "shadow" },
      { id: "per-key-rate", mode: "enforce" },
    ],
    base + 4.5 * MINUTE,
  );
  const hits = activity.get("new-links-free");
  expect(hits?.sparkline).toHaveLength(60);
  expect(hits?.sparkline.slice(-5)).toEqual([10, 0, 0, 0, 1]);
  expect(hits).toMatchObject({
    lastHour: 11,
    requestsLastHour: 104,
    perMinuteNow: 1 / 1.5,
    yesterday: null,
  });
  expect(activity.get("per-key-rate")).toMatchObject({ mode: "enforce", lastHour: 0 });
});

test("evidence is what revisions that decide alike counted in shadow", async () => {
  await storeDay();
  const rules = DEMO_CONTENT.rules;
  const wanted = rules.find(({ id }) => id === "new-links-free");
  if (wanted === undefined) throw new Error("the demo lost its shadow rule");
  const nowMs = base + 4.5 * MINUTE;
  const alike = { ...wanted, mode: "enforce" as const, name: "Another name" };
  const coverage = await getCoverage(world.control.db, { rule: alike, nowMs });
  expect(coverage).toMatchObject({
    seconds: 270,
    requests: 104,
    gatewaysLive: 2,
    gatewaysReporting: 2,
    revisions: [1],
  });
  expect(judgeEvidence(DEMO_CONTENT.settings.evidence, coverage).enough).toBe(true);
  const stricter = { ...alike, cost: 2 };
  expect(await getCoverage(world.control.db, { rule: stricter, nowMs })).toMatchObject({
    seconds: 0,
    requests: 0,
    revisions: [],
  });
});

test("a rule switched off in between was not watched then", async () => {
  const ctx = withActor(world.control, SYSTEM);
  await setRuleMode(ctx, { id: "new-links-free", mode: "off", reason: "test" });
  await hear("gw-1", 0);
  await store(minuteBatch("gw-1", 0), minuteBatch("gw-1", 1));
  const report = await getRuleReport(at(2), { id: "new-links-free" });
  expect(report).toMatchObject({ mode: "shadow", coverage: { seconds: 0 } });
  expect(report.marks.at(-1)).toMatchObject({ kind: "mode" });
});

test("a token of a gateway may not read reports", async () => {
  const ctx = withActor(world.control, { type: "token", id: "t", name: "gw", scopes: ["gateway"] });
  await expect(getRuleReport(ctx, { id: "new-links-free" })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(listHits(ctx, { id: "new-links-free" })).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("figures begin with the first minute of the last day that the mode was counted in", async () => {
  const asked = { id: "new-links-free", mode: "shadow" } as const;
  expect(await findCountStart(at(4), asked)).toBeNull();
  await storeDay();
  expect(await findCountStart(at(4), asked)).toEqual(new Date(base));
  expect(await findCountStart(at(4), { ...asked, mode: "enforce" })).toBeNull();
  expect(await findCountStart(at(24 * 60 + 10), asked)).toBeNull();
});

test("a candidate's report is covered while the candidate counted, in the mode that its share says", async () => {
  const ctx = withActor(world.control, SYSTEM);
  const id = "per-key-rate";
  const wanted = DEMO_CONTENT.rules.find((each) => each.id === id);
  if (wanted === undefined) throw new Error("the demo lost its enforced rule");
  await tryCandidate(ctx, { id, rule: { ...wanted, cost: 2 }, reason: "test" });
  const first = Math.max(0, Math.ceil((Date.now() - base) / MINUTE)) + 1;
  await hear("gw-1", first);
  await store(minuteBatch("gw-1", first), minuteBatch("gw-1", first + 1));
  const seconds = async (lane: "live" | "candidate", mode: "shadow" | "enforce") => {
    const from = new Date(base + first * MINUTE).toISOString();
    const report = await getRuleReport(at(first + 2), { id, lane, mode, from });
    return report.coverage.seconds;
  };
  expect(await seconds("candidate", "shadow")).toBe(120);
  expect(await seconds("candidate", "enforce")).toBe(0);
  expect(await seconds("live", "shadow")).toBe(0);
  expect(await seconds("live", "enforce")).toBe(120);
  await setCandidateShare(ctx, { id, share: 100, reason: "test", acknowledgeGaps: true });
  const later = Math.max(0, Math.ceil((Date.now() - base) / MINUTE)) + 1 - first;
  await store(minuteBatch("gw-1", first + later + 2), minuteBatch("gw-1", first + later + 3));
  const all = await getRuleReport(at(first + later + 4), {
    ...{ id, lane: "candidate", mode: "enforce" },
    from: new Date(base + (first + later + 2) * MINUTE).toISOString(),
  });
  expect(all.coverage.seconds).toBe(120);
});
