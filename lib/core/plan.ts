import { z } from "zod";
import { slug, textLine, wholeNumber } from "./parse";

/** Keyless traffic. Reserved: no plan may take this id. */
export const ANONYMOUS_PLAN = "anonymous";

export const PlanIdSchema = slug("plan");

export const PlanSchema = z.strictObject({
  id: PlanIdSchema.refine((id) => id !== ANONYMOUS_PLAN, {
    error: `plan "${ANONYMOUS_PLAN}" is reserved for traffic without a key`,
  }),
  name: textLine("name", 80),
  /** Order among plans, lowest tier first. */
  rank: wholeNumber("rank", 0, 1000).default(0),
  description: z.string().trim().max(500).default(""),
  /** A protected plan's clients weigh more in guardrails and warnings. */
  protected: z.boolean().default(false),
  meta: z.record(z.string(), z.unknown()).optional(),
});

export type Plan = z.output<typeof PlanSchema>;
