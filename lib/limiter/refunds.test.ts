import { expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckResult } from "@/lib/core/check";
import { createLog } from "@/lib/log";
import { waitFor } from "@/lib/testing/wait-for";
import { failure } from "./check-batch";
import { createCounters } from "./counters";
import { createKnownEmpty } from "./known-empty";
import { createRefunds } from "./refunds";
import { GIVEN_UP } from "./shard";
import type { LimiterRule } from "./state-key";

const rule: LimiterRule = {
  ruleId: "daily",
  key: "hg:test:1:{key:k}",
  slot: 1,
  role: "enforced",
  limit: tokenBucket({ rate: 1, per: "1d", burst: 1 }),
  cost: 1,
  failMode: "local",
};
const ran: CheckResult = {
  verdict: "allowed",
  binding: null,
  perRule: [],
  nowUs: 0,
  source: "redis",
};

/** Refunds of one bucket that Redis answers one after another as given. */
function refundsOf(...answers: CheckResult[]) {
  const counters = createCounters();
  let calls = 0;
  const refunds = createRefunds({
    ask: async () => {
      calls += 1;
      return answers[calls - 1] ?? ran;
    },
    onGiven: () => {},
    counters,
    log: createLog({ name: "test", level: "silent" }),
  });
  refunds.give(0, [rule]);
  return { refunds, counters, calls: () => calls };
}

test.each([
  ["expired", failure("expired", "Redis reached the check after its expiry")],
  ["was not sent", failure("disconnected", GIVEN_UP)],
  ["was redirected", failure("error", "MOVED 7 127.0.0.1:7001")],
])("a refund that %s is tried again, and counted once it ran", async (_, answer) => {
  const { counters, calls } = refundsOf(answer, answer);
  await waitFor(() => counters.refunds === 1, { what: "a refund" });
  expect(calls()).toBe(3);
  expect(counters.lostRefunds).toBe(0);
});

test.each([
  ["timed out", failure("timeout", "Redis did not answer within 10 ms")],
  ["was on a connection that closed", failure("disconnected", "Connection is closed.")],
])("a refund that %s may have run: it is not sent again, but lost", async (_, answer) => {
  const { counters, calls } = refundsOf(answer);
  await waitFor(() => counters.lostRefunds === 1, { what: "a lost refund" });
  expect(calls()).toBe(1);
  expect(counters.refunds).toBe(0);
});

test("after three tries a refund is lost, and what waits at the end is, too", async () => {
  const expired = failure("expired", "Redis reached the check after its expiry");
  const thrice = refundsOf(expired, expired, expired);
  await waitFor(() => thrice.counters.lostRefunds === 1, { what: "a lost refund" });
  expect(thrice.calls()).toBe(3);
  const closing = refundsOf(expired);
  await waitFor(() => closing.calls() === 1);
  await new Promise((resolve) => setImmediate(resolve));
  closing.refunds.close();
  expect(closing.counters.lostRefunds).toBe(1);
});

test("what was said of a bucket before it got something back is not remembered", () => {
  const known = createKnownEmpty();
  const refused = {
    ruleId: rule.ruleId,
    role: rule.role,
    allowed: false,
    charged: false,
    remaining: 0,
    resetMs: 5_000,
    retryAfterMs: 5_000,
  };
  known.learn([rule], [refused], { sentMs: 1_000, receivedMs: 1_001 });
  expect(known.find(rule, 1_002)?.allowed).toBe(false);
  known.givenBack([rule], 1_003);
  expect(known.find(rule, 1_004)).toBeUndefined();
  known.learn([rule], [refused], { sentMs: 1_002, receivedMs: 1_005 });
  expect(known.find(rule, 1_006)).toBeUndefined();
  known.learn([rule], [refused], { sentMs: 1_004, receivedMs: 1_007 });
  expect(known.find(rule, 1_008)?.allowed).toBe(false);
});
