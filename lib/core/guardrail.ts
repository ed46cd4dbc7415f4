import { z } from "zod";
import { flag, shown, wholeNumber } from "./parse";
import { PlanIdSchema } from "./plan";

const boundedNumber = (name: string, min: number, max: number) =>
  z
    .number({
      error: (issue) => `${name} must be a number ${min}..${max}, got ${shown(issue.input)}`,
    })
    .min(min, { error: (issue) => `${name} must be ${min}..${max}, got ${shown(issue.input)}` })
    .max(max, { error: (issue) => `${name} must be ${min}..${max}, got ${shown(issue.input)}` });

/** The bounds that an enforced change is watched by; a bound that is null is not watched. */
export const GuardrailSchema = z.strictObject({
  /** Of the requests that the rule matches, 0..1. */
  maxRejectedShare: boundedNumber("maxRejectedShare", 0, 1).nullable().default(null),
  /** Any client rejected: of every plan marked protected (true), or of these plans. */
  protectedPlans: z
    .union([flag("protectedPlans"), z.array(PlanIdSchema).min(1).max(100)])
    .default(true),
  /** The rejected share against the one that shadow foretold. */
  timesPredicted: boundedNumber("timesPredicted", 1, 1000).nullable().default(3),
  /** How long a bound stays crossed before anything is done. */
  forSeconds: wholeNumber("forSeconds", 1, 3600).default(30),
  /** The two shares are not judged on fewer matched requests. A protected client always is. */
  minRequests: wholeNumber("minRequests", 1, 1_000_000_000).default(100),
  /** How long it is watched, in time with whole data; then it has passed. */
  watchSeconds: wholeNumber("watchSeconds", 1, 86_400).default(3600),
  /** Take the rule's change back, or only alert and stop its ramp. */
  action: z
    .enum(["undo", "hold"], {
      error: (issue) => `action must be undo or hold, got ${shown(issue.input)}`,
    })
    .default("undo"),
});

export type Guardrail = z.output<typeof GuardrailSchema>;
