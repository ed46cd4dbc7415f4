import { expect, test } from "vitest";
import { GuardrailSchema } from "@/lib/core/guardrail";
import { guardrailSentence } from "./guardrail-sentence";

const known = {
  protectedPlans: ["enterprise"],
  predicted: { requests: 10_000, rejections: 42 },
};

test.each([
  [
    {},
    "Taken back by itself if for 30s more than 3 × what shadow foretold (1.3%) of at least 100 requests is refused, or any client on enterprise is refused. Watched for 1h.",
  ],
  [
    { action: "hold", timesPredicted: null, maxRejectedShare: 0.02, forSeconds: 180 },
    "Held, with an alert, if for 3m more than 2.0% of at least 100 requests are refused, or any client on enterprise is refused. Watched for 1h.",
  ],
  [
    { timesPredicted: null, protectedPlans: ["gold", "paid"], watchSeconds: 90 },
    "Taken back by itself if for 30s any client on gold or paid is refused. Watched for 90s.",
  ],
  [
    { timesPredicted: null, protectedPlans: false },
    "It has no bound that could be crossed: nothing is watched.",
  ],
] as const)("a guardrail %j reads: %s", (fields, sentence) => {
  expect(guardrailSentence(GuardrailSchema.parse(fields), known)).toBe(sentence);
});

test("no guardrail, and a bound that cannot be judged, are said", () => {
  expect(guardrailSentence(null, known)).toMatch(/^Nothing watches the change/);
  const blind = { protectedPlans: [], predicted: { requests: 0, rejections: 0 } };
  expect(guardrailSentence(GuardrailSchema.parse({}), blind)).toContain(
    "it foretold nothing, so this is not judged",
  );
});
