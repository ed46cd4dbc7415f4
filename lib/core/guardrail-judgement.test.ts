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
  requests: 1000,
  rejections: 4,
  rejectionsByPlan: { free: 4 },
  missing: [],
};
const known: GuardrailContext = {
  predictedShare: 0.004,
  protectedPlans: ["enterprise"],
  crossedSinceMs: null,
  changedSince: false,
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
    ["changed since", {}, enterprise, { crossedSinceMs: LONG_AGO, changedSince: true }, "hold"],
    ["counts are missing", {}, { missing: ["g1 is silent"] }, {}, "hold"],
    [
      "missing and crossed",
      {},
      { ...enterprise, missing: ["g1"] },
      { crossedSinceMs: LONG_AGO },
      "hold",
    ],
    ["no request", {}, { requests: 0, rejections: 0, rejectionsByPlan: {} }, {}, "hold"],
    ["plans not watched", { protectedPlans: false }, enterprise, {}, "within"],
    ["another plan named", { protectedPlans: ["paid"] }, enterprise, {}, "within"],
    ["exactly 3 times", {}, { rejections: 12 }, {}, "within"],
    ["more than 3 times", {}, { rejections: 13 }, {}, "crossing"],
    ["more than 3 times, few requests", {}, { requests: 99, rejections: 50 }, {}, "waiting"],
    ["nothing was predicted", {}, { rejections: 900 }, { predictedShare: null }, "within"],
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
    const missing = { ...quiet, missing: ["ingest is behind"] };
    expect(judgeGuardrail(rail, missing, context, NOW).crossedSinceMs).toBe(LONG_AGO);
    expect(judgeGuardrail(rail, quiet, context, NOW).crossedSinceMs).toBeNull();
  });
});
