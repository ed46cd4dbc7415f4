import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/core/errors";
import { ManualClock } from "../clock";
import type { RuleOutcome } from "../core/check";
import { compileRuleset } from "../core/compile-ruleset";
import { CountBatchSchema } from "../core/counts";
import { createLog } from "../log";
import { bodyOf, factsOf, tokenBucketRule } from "../testing/rules";
import { createBatchQueue } from "./batch-queue";
import { createClientMinutes } from "./client-minutes";
import { type Counted, type CountedRequest, createCounts, HITS_A_SECOND } from "./counts";

const index = compileRuleset(
  bodyOf([tokenBucketRule({ id: "enforced" }), tokenBucketRule({ id: "shadow", mode: "shadow" })]),
  { epoch: 1_767_225_600, version: 3, hash: "a".repeat(64) },
);

type Input = { key?: string; enforced?: boolean; shadow?: boolean; plan?: string };

/** What a request looked like to both rules; true = allowed. */
function requestOf({
  key = "k1",
  enforced = true,
  shadow = true,
  plan,
}: Input = {}): CountedRequest {
  const facts = factsOf({ key, ...(plan === undefined ? {} : { plan }) });
  const outcome = (ruleId: string, allowed: boolean): RuleOutcome => ({
    ruleId,
    role: ruleId === "enforced" ? "enforced" : "shadow",
    allowed,
    charged: allowed && enforced,
    remaining: 0,
    resetMs: 1_000,
    retryAfterMs: allowed ? 0 : 1_500,
  });
  return {
    index,
    matched: index.match(facts),
    outcomes: [outcome("enforced", enforced), outcome("shadow", shadow)],
    verdict: enforced ? "allowed" : "refused",
    source: "redis",
    unchecked: [],
    identity: facts.identity,
    method: "GET",
    route: "/v1/messages",
    requestId: "r1",
  };
}

function asBatch(counted: Counted | null) {
  const head = { schema: 1, environment: "test", gateway: "g", boot: "boot-0001", sequence: 1 };
  return CountBatchSchema.parse({ ...head, ...counted });
}

describe("counts", () => {
  test("matched, refused and newly refused are told apart, by second", () => {
    const clock = new ManualClock();
    const counts = createCounts({ clock });
    counts.count(requestOf());
    counts.count(requestOf({ shadow: false }));
    counts.count(requestOf({ shadow: false, enforced: false }));
    clock.advance(1_000);
    counts.count(requestOf());
    const second = Math.floor(clock.nowMs() / 1000) - 1;
    const shared = { revision: 1, lane: "live", plan: "free", route: "/v1/messages" };
    const enforced = { rule: "enforced", mode: "enforce", ...shared };
    const shadow = { rule: "shadow", mode: "shadow", ...shared };
    const batch = asBatch(counts.take());
    expect(batch.counts).toEqual([
      { second, ...enforced, requests: 3, rejections: 1, newly: 0 },
      { second, ...shadow, requests: 3, rejections: 2, newly: 1 },
      { second: second + 1, ...enforced, requests: 1, rejections: 0, newly: 0 },
      { second: second + 1, ...shadow, requests: 1, rejections: 0, newly: 0 },
    ]);
    expect(batch.traffic).toEqual({ requests: 4, refused: 1, local: 0, unchecked: 0 });
    expect(batch.hits).toHaveLength(3);
    expect(batch.hits[0]).toMatchObject({ rule: "shadow", version: 3, retryAfterSeconds: 2 });
  });

  test("a second batch holds only what came after the first", () => {
    const clock = new ManualClock();
    const counts = createCounts({ clock });
    counts.count(requestOf());
    const first = asBatch(counts.take());
    clock.advance(100);
    counts.count(requestOf());
    const second = asBatch(counts.take());
    expect(second.counts.map(({ requests }) => requests)).toEqual([1, 1]);
    expect(second.fromMs).toBe(first.toMs);
  });

  test("hits beyond the cap of a rule and second are seen, not kept", () => {
    const counts = createCounts({ clock: new ManualClock() });
    for (let i = 0; i < HITS_A_SECOND + 5; i += 1) counts.count(requestOf({ shadow: false }));
    const { hits, counts: rows } = asBatch(counts.take());
    expect(hits).toHaveLength(HITS_A_SECOND);
    expect(rows.map(({ rejections }) => rejections)).toEqual([0, HITS_A_SECOND + 5]);
  });

  test("each client's first hit of a minute is kept, however busy the others are", () => {
    const clock = new ManualClock();
    const counts = createCounts({ clock });
    for (let i = 0; i < 2 * HITS_A_SECOND; i += 1) counts.count(requestOf({ shadow: false }));
    for (const key of ["k2", "k3", "k2"]) counts.count(requestOf({ key, shadow: false }));
    const clientsOf = () => asBatch(counts.take()).hits.map(({ client }) => client);
    expect(clientsOf().slice(HITS_A_SECOND)).toEqual(["key:k2", "key:k3"]);
    clock.advance(60_000);
    for (let i = 0; i < 2 * HITS_A_SECOND; i += 1) counts.count(requestOf({ shadow: false }));
    counts.count(requestOf({ key: "k2", shadow: false }));
    expect(clientsOf().slice(HITS_A_SECOND)).toEqual(["key:k2"]);
  });

  test("a rule that no bucket decided is not counted, but that it was not is", () => {
    const counts = createCounts({ clock: new ManualClock() });
    counts.count({ ...requestOf({ shadow: false }), unchecked: ["shadow"], source: "local" });
    const batch = asBatch(counts.take());
    expect(batch.counts.map(({ rule }) => rule)).toEqual(["enforced"]);
    expect(batch.traffic).toEqual({ requests: 1, refused: 0, local: 1, unchecked: 1 });
  });

  test.each([
    ["since the request is refused anyway: met, not hit", false, ["enforced", "shadow"]],
    ["whose answer was lost: nothing is known of it", true, ["enforced"]],
  ])("a shadow rule on another shard that was not asked, %s", (_, isAllowed, counted) => {
    const counts = createCounts({ clock: new ManualClock() });
    const request = requestOf({ enforced: isAllowed });
    const outcomes = request.outcomes.map((outcome, index) =>
      index === 1 ? { ...outcome, allowed: true, unasked: true as const } : outcome,
    );
    counts.count({ ...request, outcomes });
    const { counts: rows } = asBatch(counts.take());
    expect(rows.map(({ rule }) => rule)).toEqual(counted);
    expect(rows.filter(({ rule }) => rule === "shadow").every((row) => row.rejections === 0)).toBe(
      true,
    );
  });

  test("an idle gateway says so three times a minute", () => {
    const clock = new ManualClock();
    const counts = createCounts({ clock });
    let batches = 0;
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1_000);
      if (counts.take() !== null) batches += 1;
    }
    expect(batches).toBe(3);
  });

  test("the rate is that of the last whole second", () => {
    const clock = new ManualClock();
    const counts = createCounts({ clock });
    for (let i = 0; i < 7; i += 1) counts.count(requestOf());
    expect(counts.requestsPerSecond()).toBe(0);
    clock.advance(1_000);
    expect(counts.requestsPerSecond()).toBe(7);
    counts.count(requestOf());
    expect(counts.requestsPerSecond()).toBe(7);
    clock.advance(2_000);
    expect(counts.requestsPerSecond()).toBe(0);
  });
});

describe("clients by minute", () => {
  const [rule] = index.rules;
  if (rule === undefined) throw new Error("a rule is needed");
  const hit = { rejected: true, newly: false };
  const pass = { rejected: false, newly: false };

  test("a client has a row only for minutes with a hit, then with all its requests of them", () => {
    const minutes = createClientMinutes();
    for (let i = 0; i < 3; i += 1) minutes.count(rule, "key:a", "free", 1, pass);
    minutes.count(rule, "key:b", "free", 1, pass);
    expect(minutes.take().rows).toEqual([]);
    minutes.count(rule, "key:a", "free", 1, hit);
    const [row] = minutes.take().rows;
    expect(row).toMatchObject({ client: "key:a", minute: 1, requests: 4, rejections: 1 });
    minutes.count(rule, "key:a", "free", 1, pass);
    expect(minutes.take().rows).toMatchObject([{ requests: 1, rejections: 0 }]);
    minutes.count(rule, "key:a", "free", 2, pass);
    expect(minutes.take().rows).toEqual([]);
  });

  test("what was not taken before the minute ended is taken after it", () => {
    const minutes = createClientMinutes();
    minutes.count(rule, "key:a", "free", 1, hit);
    minutes.count(rule, "key:a", "free", 2, hit);
    expect(minutes.take().rows.map(({ minute }) => minute)).toEqual([1, 2]);
  });

  test("clients beyond the rows of a rule are summed, with what they sent before", () => {
    const minutes = createClientMinutes({ rowsMax: 2 });
    for (const client of ["key:a", "key:b", "key:c", "key:d"]) {
      minutes.count(rule, client, "free", 1, pass);
      minutes.count(rule, client, "free", 1, hit);
    }
    minutes.count(rule, "key:c", "free", 1, pass);
    minutes.count(rule, "key:e", "paid", 1, hit);
    const rows = minutes
      .take()
      .rows.map(({ client, plan, requests, rejections }) => [client, plan, requests, rejections]);
    expect(rows).toEqual([
      ["key:a", "free", 2, 1],
      ["key:b", "free", 2, 1],
      ["other", "free", 5, 2],
      ["other", "paid", 1, 1],
    ]);
  });

  test("a client that could not be followed counts from its first hit, and that is said", () => {
    const minutes = createClientMinutes({ followedMax: 1 });
    minutes.count(rule, "key:a", "free", 1, pass);
    minutes.count(rule, "key:b", "free", 1, pass);
    minutes.count(rule, "key:b", "free", 1, hit);
    minutes.count(rule, "key:b", "free", 1, pass);
    expect(minutes.take()).toMatchObject({
      rows: [{ client: "key:b", requests: 2, rejections: 1 }],
      dropped: 1,
    });
  });

  test("a client whose plan changes has a row under each", () => {
    const minutes = createClientMinutes();
    minutes.count(rule, "key:a", "free", 1, hit);
    minutes.count(rule, "key:a", "paid", 1, hit);
    expect(minutes.take().rows.map(({ plan }) => plan)).toEqual(["free", "paid"]);
  });
});

describe("the queue of batches", () => {
  const log = createLog({ name: "test", level: "silent" });
  const counted = (requests: number): Counted => ({
    fromMs: requests,
    toMs: requests + 1,
    counts: [],
    clients: [],
    hits: [],
    traffic: { requests, refused: 0, local: 0, unchecked: 0 },
    dropped: { requests: 0, clients: 0, hits: 0 },
  });

  function queueOf(keptBatchesMax: number) {
    const sent: [sequence: number, requests: number, dropped: number][] = [];
    const state: { isTaken: boolean; refusal?: Error } = { isTaken: true };
    const queue = createBatchQueue({
      environment: "test",
      gateway: "g",
      boot: "boot-0001",
      log,
      keptBatchesMax,
      send: async (batch) => {
        sent.push([batch.sequence, batch.traffic.requests, batch.dropped.requests]);
        if (!state.isTaken) throw state.refusal ?? new Error("nobody takes it");
      },
    });
    return { queue, sent, state };
  }

  test("a batch that was perhaps not taken is sent again under its number", async () => {
    const { queue, sent, state } = queueOf(10);
    state.isTaken = false;
    queue.push(counted(5));
    await queue.flush();
    queue.push(counted(7));
    state.isTaken = true;
    await queue.flush();
    expect(sent).toEqual([
      [1, 5, 0],
      [1, 5, 0],
      [2, 7, 0],
    ]);
    expect(queue.waiting()).toBe(0);
  });

  test("a batch that is refused for good does not hold up the next ones, and its number stays a gap", async () => {
    const { queue, sent, state } = queueOf(10);
    state.isTaken = false;
    state.refusal = new AppError("invalid", "the console answered 422");
    queue.push(counted(5));
    await queue.flush();
    state.isTaken = true;
    queue.push(counted(7));
    await queue.flush();
    expect(sent).toEqual([
      [1, 5, 0],
      [2, 7, 0],
    ]);
    expect(queue.dropped()).toBe(1);
  });

  test("what is given up leaves no gap in the numbers, and is in the next one's dropped", async () => {
    const { queue, sent, state } = queueOf(2);
    state.isTaken = false;
    queue.push(counted(1));
    await queue.flush();
    for (const requests of [10, 20, 30, 40]) queue.push(counted(requests));
    state.isTaken = true;
    await queue.flush();
    expect(sent.slice(1)).toEqual([
      [1, 1, 0],
      [2, 30, 30],
      [3, 40, 0],
    ]);
    expect(queue.dropped()).toBe(2);
  });
});
