import { expect, test } from "vitest";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { createBacktest } from "./backtest";
import type { BacktestRequest } from "./backtest-result";
import { compileRuleset } from "./compile-ruleset";

const at = { epoch: 1, version: 1, hash: "test" };
const limit = { default: { rate: 60, per: "1m", burst: 5 } };
const rule = (mode: "enforce" | "shadow", id: string = mode) =>
  tokenBucketRule({ id, mode, countBy: ["client"], limit });

function requestAt(atMs: number, host = 1): BacktestRequest {
  const ip = `198.51.100.${host}`;
  return { atMs, client: `ip:${ip}`, plan: "anonymous", ip, method: "GET", path: "/a" };
}

test("a bucket refuses what is above its burst and refills by the requests' own times", () => {
  const backtest = createBacktest(compileRuleset(bodyOf([rule("enforce")]), at));
  backtest.push(Array.from({ length: 8 }, () => requestAt(0)));
  backtest.push([requestAt(2_000), requestAt(2_000), requestAt(2_000), requestAt(2_000, 2)]);
  const result = backtest.result();
  expect(result).toMatchObject({ requests: 12, rejections: 4, clients: 2, clientsRejected: 1 });
  expect(result.topClients[0]).toMatchObject({ client: "ip:198.51.100.1", rejections: 4 });
  expect(result.worstMinutes).toMatchObject({ fromMs: 0, rejections: 4 });
  expect(result.rules[0]).toMatchObject({ rule: "enforce", requests: 12, rejections: 4 });
});

test("a shadow rule refuses nothing and counts what it alone would refuse", () => {
  const backtest = createBacktest(compileRuleset(bodyOf([rule("shadow")]), at));
  backtest.push(Array.from({ length: 8 }, () => requestAt(0)));
  const result = backtest.result();
  expect(result.rejections).toBe(0);
  expect(result.rules[0]).toMatchObject({ mode: "shadow", rejections: 3, alsoRefused: 0 });
});

test("times out of order are put in order within the window; what is later is told", () => {
  const index = compileRuleset(bodyOf([rule("enforce")]), at);
  const backtest = createBacktest(index, { windowRequests: 2 });
  backtest.push([requestAt(2_000), requestAt(1_000), requestAt(3_000), requestAt(4_000)]);
  backtest.push([requestAt(500)]);
  expect(backtest.result()).toMatchObject({
    requests: 5,
    outOfOrder: 2,
    tooLate: 1,
    fromMs: 1_000,
  });
});

test("a sender that is no address is told and counted nowhere else", () => {
  const backtest = createBacktest(compileRuleset(bodyOf([rule("enforce")]), at));
  backtest.push([{ ...requestAt(0), ip: "nobody" }]);
  expect(backtest.result()).toMatchObject({ requests: 0, unreadable: 1, fromMs: null });
});
