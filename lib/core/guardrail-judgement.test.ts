import { describe, expect, test } from "vitest";
import { type Guardrail, GuardrailSchema } from "./guardrail";
import {
  type GuardrailContext,
  type GuardrailMeasure,
  judgeGuardrail,
} from "./guardrail-judgement";

const NOW = 1_800_000_000_000;
const LONG_AGO = NOW - 30_000;
const quiet: GuardrailMeasure = {
  windowSeconds: 10,
  requests: 1000,
  rejections: 4,
  rejectionsByPlan: { free: 4 },
  missing: [],
  isBlind: false,
};
const known: GuardrailContext = {
  predicted: { requests: 10_000, rejections: 40 },
  protectedPlans: ["enterprise"],
  crossedSinceMs: null,
  keptBecause: null,
};
const enterprise = { rejectionsByPlan: { enterprise: 1 } };

describe("a guardrail's verdict", () => {
  test.each<
    [string, Partial<Guardrail>, Partial<GuardrailMeasure>, Partial<GuardrailContext>, string]
  >([
    ["as predicted", {}, {}, {}, "within"],
    ["a protected client, just now", {}, enterprise, {}, "crossing"],
    ["for 1 ms too short", {}, enterprise, { crossedSinceMs: LONG_AGO + 1 }, "crossing"],
    ["for as long as set", {}, enterprise, { crossedSinceMs: LONG_AGO }, "undo"],
    [
      "hold is all that is wanted",
      { action: "hold" },
      enterprise,
      { crossedSinceMs: LONG_AGO },
      "hold",
    ],
    [
      "changed since",
      {},
      enterprise,
      { crossedSinceMs: LONG_AGO, keptBecause: "changed since" },
      "hold",
    ],
    ["counts are missing", {}, { missing: ["g1 is silent"] }, {}, "hold"],
    [
      "some are missing, and those that are there cross",
      {},
      { ...enterprise, missing: ["g1 is silent"] },
      { crossedSinceMs: LONG_AGO },
      "undo",
    ],
    [
      "nothing fresh is known, and a bound was crossed",
      {},
      { ...enterprise, missing: ["no gateway is live"], isBlind: true },
      { crossedSinceMs: LONG_AGO },
      "hold",
    ],
    ["no request", {}, { requests: 0, rejections: 0, rejectionsByPlan: {} }, {}, "waiting"],
    ["plans not watched", { protectedPlans: false }, enterprise, {}, "within"],
    ["another plan named", { protectedPlans: ["paid"] }, enterprise, {}, "within"],
    ["exactly 3 times", {}, { rejections: 12 }, {}, "within"],
    ["more than 3 times", {}, { rejections: 13 }, {}, "crossing"],
    ["more than 3 times, few requests", {}, { requests: 99, rejections: 50 }, {}, "waiting"],
    ["nothing was predicted", {}, { rejections: 900 }, { predicted: null }, "within"],
    [
      "none was predicted, 3 times one of as many",
      {},
      { rejections: 3 },
      { predicted: { requests: 1000, rejections: 0 } },
      "within",
    ],
    [
      "none was predicted, more than that",
      {},
      { rejections: 4 },
      { predicted: { requests: 1000, rejections: 0 } },
      "crossing",
    ],
    ["at the share", { maxRejectedShare: 0.01 }, { rejections: 10 }, {}, "within"],
    ["above the share", { maxRejectedShare: 0.01 }, { rejections: 11 }, {}, "crossing"],
  ])("%s", (_, guardrail, measure, context, verdict) => {
    const judged = judgeGuardrail(
      { ...GuardrailSchema.parse({}), ...guardrail },
      { ...quiet, ...measure },
      { ...known, ...context },
      NOW,
    );
    expect(judged.verdict).toBe(verdict);
    expect(judged.why.length > 0).toBe(verdict !== "within");
  });

  test("missing data keeps a crossing's start, a look within bounds forgets it", () => {
    const context = { ...known, crossedSinceMs: LONG_AGO };
    const rail = GuardrailSchema.parse({});
    for (const isBlind of [true, false]) {
      const missing = { ...quiet, missing: ["ingest is behind"], isBlind };
      expect(judgeGuardrail(rail, missing, context, NOW).crossedSinceMs).toBe(LONG_AGO);
    }
    expect(judgeGuardrail(rail, quiet, context, NOW).crossedSinceMs).toBeNull();
  });
});
