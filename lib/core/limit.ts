import { z } from "zod";
import { durationSeconds, durationText, durationWords } from "./duration";
import { oneOf, shown, wholeNumber } from "./parse";
import { PlanIdSchema } from "./plan";

export const RATE_MAX = 1_000_000_000;
export const PER_MAX_SECONDS = 30 * 86_400;
/** Longest refill of an empty bucket; it bounds every state key's TTL and every product of the arithmetic. */
export const REFILL_MAX_SECONDS = 366 * 86_400;

/** `rate` tokens each `per`, saved up to `burst`: `{rate: 60, per: "1m", burst: 60}`. */
export const RateSchema = z
  .strictObject({
    rate: wholeNumber("rate", 1, RATE_MAX),
    per: durationText("per", PER_MAX_SECONDS),
    burst: wholeNumber("burst", 1, RATE_MAX),
  })
  .superRefine((value, context) => {
    const seconds = ((durationSeconds(value.per) ?? 1) * value.burst) / value.rate;
    if (seconds <= REFILL_MAX_SECONDS) return;
    context.addIssue({
      code: "custom",
      path: ["burst"],
      message: `burst ${value.burst} at ${value.rate} per ${value.per} takes ${Math.ceil(seconds / 86_400)} days to refill, at most ${REFILL_MAX_SECONDS / 86_400} are allowed`,
    });
  });

export type Rate = z.output<typeof RateSchema>;

export const AmountSchema = z.union([z.literal("unlimited"), RateSchema], {
  error: (issue) => `a limit must be "unlimited" or {rate, per, burst}, got ${shown(issue.input)}`,
});

export type Amount = z.output<typeof AmountSchema>;

/** What one rule allows, by plan. Lookup: perPlan, else `anonymous` for keyless traffic, else `default`, else no limit. */
export const LimitSchema = z
  .strictObject({
    kind: oneOf("kind", ["rate"]),
    algorithm: oneOf("algorithm", ["token-bucket"]),
    perPlan: z.record(PlanIdSchema, AmountSchema).default({}),
    anonymous: AmountSchema.optional(),
    default: AmountSchema.optional(),
  })
  .refine(
    (limit) =>
      Object.keys(limit.perPlan).length > 0 ||
      limit.anonymous !== undefined ||
      limit.default !== undefined,
    { path: ["default"], error: "a limit needs at least one of perPlan, anonymous or default" },
  );

export type Limit = z.output<typeof LimitSchema>;

/** The amount for a plan, null when the rule sets none for it. */
export function amountFor(limit: Limit, plan: string): Amount | null {
  // hasOwn: a plan may be called "constructor".
  if (Object.hasOwn(limit.perPlan, plan)) return limit.perPlan[plan] ?? null;
  if (plan === "anonymous" && limit.anonymous !== undefined) return limit.anonymous;
  return limit.default ?? null;
}

/** `"60 per 1m"`, with `, burst 120` where the burst differs from the rate. */
export function amountWords(amount: Amount): string {
  if (amount === "unlimited") return "unlimited";
  const per = durationWords(durationSeconds(amount.per) ?? 0);
  const burst = amount.burst === amount.rate ? "" : `, burst ${amount.burst}`;
  return `${amount.rate} per ${per}${burst}`;
}
