import { expect, test } from "vitest";
import type { Enforcement } from "@/lib/core/api/enforcement";
import { GuardrailSchema } from "@/lib/core/guardrail";
import { enforcementWords } from "./enforcement-words";
import { measuredBounds } from "./measured-bounds";

const at = "2026-11-30T08:00:00.000Z";
const none = { requests: 0, rejections: 0, share: null, byPlan: [] };
const judgement: NonNullable<Enforcement["judgement"]> = {
  at: "2026-11-30T08:00:12.000Z",
  verdict: "within",
  why: [],
  crossedSince: null,
  window: { seconds: 10, requests: 200, rejections: 10, share: 0.05 },
  rejectionsByPlan: [],
  missing: [],
};
const watching: Enforcement = {
  id: "e1",
  rule: "links",
  lane: "live",
  revision: 2,
  version: 7,
  since: at,
  by: { type: "user", id: "dana", name: "Dana" },
  change: "shadow → enforce",
  undoTo: "shadow",
  guardrail: GuardrailSchema.parse({ maxRejectedShare: 0.1 }),
  protectedPlans: ["enterprise"],
  predicted: { ...none, requests: 1000, rejections: 10, share: 0.01, from: at, to: at },
  actual: none,
  ratio: null,
  state: "watching",
  stateAt: at,
  heldFor: null,
  judgement,
  watchedSeconds: 12,
  changedSince: false,
  undoneBy: null,
  endedBy: null,
  outcome: null,
};

const crossing = { verdict: "crossing", why: ["5 % rejected"], crossedSince: at } as const;

test.each([
  [{}, "watched, within bounds", "No bound is crossed."],
  [
    { judgement: null },
    "watched",
    "v7 was not looked at yet: the worker does so each few seconds.",
  ],
  [
    { judgement: { ...judgement, verdict: "waiting", why: ["3 requests counted, 100 needed"] } },
    "watched",
    "Too early to judge: 3 requests counted, 100 needed.",
  ],
  [
    { judgement: { ...judgement, ...crossing } },
    "a bound is crossed",
    "For 12 s: 5 % rejected. After 30 s it is taken back by itself.",
  ],
  [
    { state: "held", heldFor: "data", judgement: { ...judgement, why: ["gw-1 is silent"] } },
    "held: data is missing",
    "Nobody can say how it fares: gw-1 is silent. Such time is not counted as watched; it goes on by itself when the data comes.",
  ],
  [
    { state: "held", heldFor: "crossing", judgement: { ...judgement, why: ["5 % rejected"] } },
    "held: a bound is crossed",
    "It stays enforced until somebody acts: 5 % rejected.",
  ],
  [
    { state: "undone", outcome: "version 8 brought it back to shadow: 5 % rejected" },
    "taken back by its guardrail",
    "With nobody's hand: version 8 brought it back to shadow: 5 % rejected.",
  ],
  [
    { state: "ended", guardrail: null, outcome: "no guardrail was wanted" },
    "not watched",
    "No guardrail was wanted for v7: the way back is by hand.",
  ],
] as [Partial<Enforcement>, string, string][])(
  "the state %j reads %s",
  (fields, word, sentence) => {
    expect(enforcementWords({ ...watching, ...fields })).toMatchObject({ word, sentence });
  },
);

test("each bound says what is allowed, what is measured, and nothing where it cannot be judged", () => {
  const rowsOf = (fields: Partial<Enforcement>) =>
    measuredBounds({ ...watching, ...fields }).map(
      ({ name, bound, now, state }) => `${name}: ${bound}; ${now}: ${state}`,
    );
  expect(rowsOf({})).toEqual([
    "Refused: at most 10%; 5.0% of 200 requests in 10 s: within",
    "Against what shadow foretold: at most 3.0% (3 ×); 5.0% of 200 requests in 10 s: crossed",
    "Clients on enterprise: none refused; no request yet: unknown",
  ]);
  const few = { ...judgement, window: { seconds: 10, requests: 20, rejections: 20, share: 1 } };
  expect(rowsOf({ judgement: few, predicted: null })).toEqual([
    "Refused: at most 10%; 100% of 20 requests in 10 s, judged from 100: unknown",
    "Against what shadow foretold: at most 3 ×, but nothing was foretold; 100% of 20 requests in 10 s, judged from 100: unknown",
    "Clients on enterprise: none refused; no request yet: unknown",
  ]);
});
