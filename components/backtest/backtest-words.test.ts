import { expect, test } from "vitest";
import type { BacktestAnswer, BacktestAnswerFigures } from "@/lib/core/api/backtests";
import { tokenBucketRule } from "@/lib/testing/rules";
import { backtestVerdict } from "./backtest-words";

const plans = [
  { id: "free", name: "Free", protected: false },
  { id: "enterprise", name: "Enterprise", protected: true },
];

function figures(requests: number, rejections: number): BacktestAnswerFigures {
  const hit = rejections > 0 ? 1 : 0;
  const row = { requests, rejections, clients: 3, clientsRejected: hit };
  return {
    ...row,
    share: requests === 0 ? 0 : rejections / requests,
    byPlan: [{ plan: "enterprise", ...row }],
    topClients: [],
    routes: [],
    stepSeconds: 60,
    series: [],
    worst: null,
  };
}

function verdict(total: number, asked: BacktestAnswerFigures | null, alsoRefused = 0) {
  const {
    topClients: _,
    routes: __,
    byPlan: ___,
    series: ____,
    worst: _____,
    ...row
  } = figures(1, 0);
  const result: BacktestAnswer["result"] = {
    from: null,
    to: null,
    sampling: 10,
    total: figures(total, 0),
    asked,
    rules: [{ rule: "r", lane: "live", mode: "shadow", ...row, alsoRefused }],
    demand: [],
    refusedThen: null,
    lists: { allowed: 0, denied: 0 },
    order: { outOfOrder: 0, tooLate: 0 },
    unreadable: 0,
    lines: null,
    notes: [],
  };
  return backtestVerdict({ rule: "r", judged: tokenBucketRule({ mode: "shadow" }), result }, plans);
}

test("a verdict says the share, the requests and who is hit, those on a protected plan by name", () => {
  expect(verdict(2_000, figures(1_000, 42), 3)).toMatchObject({
    kind: "hits",
    headline:
      "Would reject 4.2%: 42 of 1,000 requests that it matches; 1 of 3 clients, 1 of them on Enterprise",
    notes: [
      "It would also refuse 3 requests that another rule refuses already.",
      "It is judged in shadow: the other rules decide as they are.",
    ],
  });
  expect(verdict(2_000, figures(1_000, 0))).toMatchObject({
    kind: "quiet",
    headline: "Would reject nothing: 0 of 1,000 requests that it matches",
  });
});

test("no request is not no rejection", () => {
  expect(verdict(0, figures(0, 0))).toMatchObject({
    kind: "none",
    headline: "There was no request to judge",
    notes: ["This does not mean that nothing would be rejected."],
  });
  expect(verdict(2_000, figures(0, 0))).toMatchObject({
    kind: "none",
    headline: "No request matches this rule, of 2,000 that were judged",
  });
  expect(verdict(2_000, null)).toMatchObject({
    kind: "none",
    headline: "Rule r cannot be judged from recordings",
  });
});
