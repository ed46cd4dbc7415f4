import { afterAll, beforeAll, expect, test } from "vitest";
import { CandidateReportSchema } from "../core/api/candidate";
import { RuleDetailSchema } from "../core/api/rules";
import type { CountBatch } from "../core/counts";
import { inTransaction } from "../db/client";
import { PUBLISHER } from "../testing/control";
import { tokenBucketRule } from "../testing/rules";
import { type ControlWorld, controlWorld, countBatch, heartbeat } from "../testing/worker";
import { SYSTEM, withActor } from "./context";
import { dropCandidate } from "./drop-candidate";
import { getCandidateReport } from "./get-candidate-report";
import { getRule } from "./get-rule";
import { getRuleReport } from "./get-rule-report";
import { ingestBatches } from "./ingest-batches";
import { listRules } from "./list-rules";
import { getLive } from "./live-version";
import { publish } from "./publish";
import { putDraftItem } from "./put-draft-item";
import { setCandidateShare } from "./set-candidate-share";
import { storeHeartbeat } from "./store-heartbeat";
import { tryCandidate } from "./try-candidate";

const MINUTE = 60_000;
const LIVE = tokenBucketRule({ id: "links", name: "Links" });
const TRIED = tokenBucketRule({
  id: "links",
  name: "Links",
  limit: { default: { rate: 6, per: "1m", burst: 6 } },
});
let world: ControlWorld;
let base: number;

beforeAll(async () => {
  world = await controlWorld({ demo: false });
  const ctx = at(Date.now());
  await putDraftItem(ctx, { kind: "rule", id: "links", body: LIVE });
  const { version } = await getLive(ctx.db);
  await publish(ctx, { message: "links", baseVersion: version, acknowledgeGaps: true });
});
afterAll(() => world.close());

function at(nowMs: number) {
  return withActor(
    { ...world.control, clock: { nowMs: () => nowMs, monotonicMs: () => 0 } },
    SYSTEM,
  );
}

function by() {
  return withActor(world.control, PUBLISHER);
}

type Lane = { lane: "live" | "candidate"; mode: "shadow" | "enforce"; revision: number };
const LIVE_LANE: Lane = { lane: "live", mode: "enforce", revision: 1 };
const SHADOW: Lane = { lane: "candidate", mode: "shadow", revision: 2 };
const CHOSEN: Lane = { lane: "candidate", mode: "enforce", revision: 2 };
type Figures = { plan?: string; requests: number; rejections: number; newly: number };

async function store(minute: number, rows: [Lane, Figures & { client: string }][]) {
  const fromMs = base + minute * MINUTE;
  const batch: CountBatch = countBatch({
    environment: world.control.environment,
    gateway: "gw-1",
    sequence: minute + 1,
    fromMs,
    traffic: { requests: 1_000, refused: 0, local: 0, unchecked: 0 },
    counts: rows.map(([lane, { client: _client, ...figures }]) => ({
      rule: "links",
      plan: "free",
      route: "other",
      second: fromMs / 1000 + 5,
      ...lane,
      ...figures,
    })),
    clients: rows
      .filter(([, { rejections }]) => rejections > 0)
      .map(([lane, figures]) => ({
        rule: "links",
        plan: "free",
        minute: fromMs / MINUTE,
        ...lane,
        ...figures,
      })),
  });
  await inTransaction(world.control.db, (tx) => ingestBatches(tx, [batch]));
}

test("without a candidate there is none to show, and no report", async () => {
  const ctx = at(Date.now());
  expect((await getRule(ctx, { id: "links" })).candidate).toBeNull();
  await expect(getCandidateReport(ctx, { id: "links" })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("rule links has no candidate"),
  });
  await expect(getCandidateReport(ctx, { id: "nothing" })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("there is no rule nothing"),
  });
});

test("a rule shows its candidate: revision, share, since when, and what differs in words", async () => {
  await tryCandidate(by(), { id: "links", rule: TRIED, reason: "fewer" });
  const { version } = await getLive(world.control.db);
  const rule = RuleDetailSchema.parse(await getRule(at(Date.now()), { id: "links" }));
  expect(rule.candidate).toMatchObject({
    revision: 2,
    share: 0,
    shareWords: "no client",
    isShared: false,
    sinceVersion: version,
    by: { name: PUBLISHER.name },
  });
  const { items } = await listRules(by());
  expect(items).toMatchObject([{ id: "links", candidateShare: 0 }]);
  expect(rule.candidate?.diff.map(({ sentence }) => sentence)).toEqual([
    expect.stringContaining("10 times stricter"),
  ]);
});

test("the report tells newly, no longer and both of those at the live revision, and what the share was refused", async () => {
  base = (Math.floor(Date.now() / MINUTE) + 1) * MINUTE;
  await inTransaction(world.control.db, (tx) =>
    storeHeartbeat(tx, {
      heartbeat: heartbeat({ environment: world.control.environment, gateway: "gw-1" }),
      receivedMs: base,
    }),
  );
  await store(0, [
    [LIVE_LANE, { client: "key:a", requests: 100, rejections: 9, newly: 4 }],
    [SHADOW, { client: "key:a", requests: 100, rejections: 25, newly: 20 }],
    [LIVE_LANE, { client: "key:b", plan: "paid", requests: 50, rejections: 0, newly: 0 }],
    [SHADOW, { client: "key:b", plan: "paid", requests: 50, rejections: 0, newly: 0 }],
    [CHOSEN, { client: "key:c", plan: "paid", requests: 30, rejections: 7, newly: 0 }],
  ]);
  await store(1, [
    [LIVE_LANE, { client: "key:d", requests: 8, rejections: 3, newly: 3 }],
    [
      { ...SHADOW, revision: 9 },
      { client: "key:e", requests: 99, rejections: 9, newly: 9 },
    ],
  ]);
  const ctx = at(base + 2 * MINUTE);
  const report = CandidateReportSchema.parse(await getCandidateReport(ctx, { id: "links" }));
  expect(report).toMatchObject({
    revision: 2,
    liveRevision: 1,
    requests: 150,
    newly: 20,
    noLonger: 7,
    both: 5,
    enforced: { requests: 30, rejections: 7 },
    clients: { newly: 1, noLonger: 2, both: 1, enforced: 1 },
    clientsCapped: false,
  });
  expect(report.byPlan).toEqual([
    {
      ...{ plan: "free", requests: 100, newly: 20, noLonger: 7, both: 5 },
      enforced: { requests: 0, rejections: 0 },
      clients: { newly: 1, noLonger: 2, both: 1, enforced: 0 },
    },
    {
      ...{ plan: "paid", requests: 50, newly: 0, noLonger: 0, both: 0 },
      enforced: { requests: 30, rejections: 7 },
      clients: { newly: 0, noLonger: 0, both: 0, enforced: 1 },
    },
  ]);
  const of = (client: string, plan: string) => ({ client, plan });
  expect(report.topClients).toEqual([
    { ...of("key:a", "free"), requests: 100, newly: 20, noLonger: 4, both: 5, enforced: 0 },
    { ...of("key:d", "free"), requests: 8, newly: 0, noLonger: 3, both: 0, enforced: 0 },
    { ...of("key:c", "paid"), requests: 30, newly: 0, noLonger: 0, both: 0, enforced: 7 },
  ]);
  expect(report.coverage).toMatchObject({ gateways: 1, reporting: 1, enough: false });
  // The rule's own report stays what it was.
  const own = await getRuleReport(ctx, { id: "links", mode: "enforce" });
  expect(own).toMatchObject({ rejections: 12, newly: 0 });
});

test("a candidate that replaced another one leaves out the minute of the change, and so what the first one counted", async () => {
  const later = { ...TRIED, description: "the second one" };
  await tryCandidate(by(), { id: "links", rule: later, reason: "again" });
  const run = (await getRule(by(), { id: "links" })).candidate;
  const since = Date.parse(run?.since ?? "");
  base = Math.floor(since / MINUTE) * MINUTE;
  const third = { ...SHADOW, revision: run?.revision ?? 0 };
  await store(10, [[third, { client: "key:a", requests: 10, rejections: 2, newly: 2 }]]);
  const report = await getCandidateReport(at(base + 11 * MINUTE), { id: "links" });
  expect(report).toMatchObject({ requests: 10, newly: 2, revision: third.revision });
  expect(Date.parse(report.from)).toBeGreaterThanOrEqual(since);
  expect(Date.parse(report.from) - since).toBeLessThan(MINUTE);
});

test("the share is told as it is, and a dropped candidate has no report any more", async () => {
  await setCandidateShare(by(), {
    id: "links",
    share: { free: 10 },
    reason: "some",
    acknowledgeGaps: true,
    acknowledgeRadius: true,
  });
  expect((await getRule(by(), { id: "links" })).candidate).toMatchObject({
    share: { free: 10 },
    shareWords: "10 % of free",
    isShared: true,
  });
  await dropCandidate(by(), { id: "links" });
  expect((await getRule(by(), { id: "links" })).candidate).toBeNull();
  await expect(getCandidateReport(by(), { id: "links" })).rejects.toMatchObject({
    code: "not_found",
  });
});
