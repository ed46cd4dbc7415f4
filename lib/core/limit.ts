import { z } from "zod";
import { calendarPer, isTimeZone } from "./calendar-period";
import { durationSeconds, durationText, durationWords } from "./duration";
import { shown, wholeNumber } from "./parse";
import { PlanIdSchema } from "./plan";

export const RATE_MAX = 1_000_000_000;
export const PER_MAX_SECONDS = 30 * 86_400;
/** Requests of one window; it fits 32 bits on the wire. */
export const WINDOW_MAX = 4_000_000_000;
export const CONCURRENT_MAX = 1_000_000;
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
    // Said already.
    if (value.rate < 1 || value.burst > RATE_MAX) return;
    const seconds = ((durationSeconds(value.per) ?? 1) * value.burst) / value.rate;
    if (seconds <= REFILL_MAX_SECONDS) return;
    context.addIssue({
      code: "custom",
      path: ["burst"],
      message: `burst ${value.burst} at ${value.rate} per ${value.per} takes ${Math.ceil(seconds / 86_400)} days to refill, at most ${REFILL_MAX_SECONDS / 86_400} are allowed`,
    });
  });

export type Rate = z.output<typeof RateSchema>;

/** At most `rate` in any `per`, as two counters estimate it: `{rate: 60, per: "1m"}`. */
export const SlidingAmountSchema = z.strictObject({
  rate: wholeNumber("rate", 1, WINDOW_MAX),
  per: durationText("per", PER_MAX_SECONDS),
});

/** `rate` in each window of the calendar: `{rate: 10000, per: "1mo"}`. */
export const CalendarAmountSchema = z.strictObject({
  rate: wholeNumber("rate", 1, WINDOW_MAX),
  per: calendarPer("per"),
});

export type WindowAmount = z.output<typeof CalendarAmountSchema>;

/** So many requests at the same time. */
export const ConcurrentAmountSchema = z.strictObject({
  concurrent: wholeNumber("concurrent", 1, CONCURRENT_MAX),
});

export type ConcurrentAmount = z.output<typeof ConcurrentAmountSchema>;

function orUnlimited<S extends z.ZodType>(amount: S, form: string) {
  return z.union([z.literal("unlimited"), amount], {
    error: (issue) => `a limit must be "unlimited" or ${form}, got ${shown(issue.input)}`,
  });
}

/** Of any kind of rule: an override's, whose rule says of which kind it must be (`fitsLimit`). */
export const AmountSchema = z.union(
  [z.literal("unlimited"), RateSchema, CalendarAmountSchema, ConcurrentAmountSchema],
  {
    error: (issue) =>
      `a limit must be "unlimited", {rate, per, burst}, {rate, per} or {concurrent}, got ${shown(issue.input)}`,
  },
);

export type Amount = z.output<typeof AmountSchema>;

/** What one rule allows, by plan. Lookup: perPlan, else `anonymous` for keyless traffic, else `default`, else no limit. */
function byPlan<S extends z.ZodType>(amount: S) {
  return {
    perPlan: z.record(PlanIdSchema, amount).default({}),
    anonymous: amount.optional(),
    default: amount.optional(),
  };
}

const NEEDS_AMOUNT = {
  path: ["default"],
  error: "a limit needs at least one of perPlan, anonymous or default",
};

function hasAmount(limit: { perPlan: object; anonymous?: unknown; default?: unknown }): boolean {
  return (
    Object.keys(limit.perPlan).length > 0 ||
    limit.anonymous !== undefined ||
    limit.default !== undefined
  );
}

const TokenBucketLimitSchema = z
  .strictObject({
    kind: z.literal("rate"),
    algorithm: z.literal("token-bucket"),
    ...byPlan(orUnlimited(RateSchema, "{rate, per, burst}")),
  })
  .refine(hasAmount, NEEDS_AMOUNT);

const SlidingWindowLimitSchema = z
  .strictObject({
    kind: z.literal("rate"),
    algorithm: z.literal("sliding-window"),
    ...byPlan(orUnlimited(SlidingAmountSchema, "{rate, per}")),
  })
  .refine(hasAmount, NEEDS_AMOUNT);

const FixedWindowLimitSchema = z
  .strictObject({
    kind: z.literal("rate"),
    algorithm: z.literal("fixed-window"),
    /** Whose midnight and whose months; IANA name. */
    timeZone: z
      .string()
      .refine(isTimeZone, {
        error: (issue) =>
          `timeZone must be a name such as UTC or Europe/Paris, got ${shown(issue.input)}`,
      })
      .default("UTC"),
    ...byPlan(orUnlimited(CalendarAmountSchema, "{rate, per}")),
  })
  .refine(hasAmount, NEEDS_AMOUNT);

export const ALGORITHMS = ["token-bucket", "sliding-window", "fixed-window"] as const;

const RateLimitSchema = z.discriminatedUnion(
  "algorithm",
  [TokenBucketLimitSchema, SlidingWindowLimitSchema, FixedWindowLimitSchema],
  {
    error: (issue) =>
      `algorithm must be one of ${ALGORITHMS.join(", ")}, got ${shown(fieldOf(issue.input, "algorithm"))}`,
  },
);

/** A request's slot is free this long after its gateway was last heard of. */
const LEASE_MAX_SECONDS = 3600;

const ConcurrencyLimitSchema = z
  .strictObject({
    kind: z.literal("concurrency"),
    lease: durationText("lease", LEASE_MAX_SECONDS).default("30s"),
    ...byPlan(orUnlimited(ConcurrentAmountSchema, "{concurrent}")),
  })
  .refine(hasAmount, NEEDS_AMOUNT);

/** Of `capacity` requests a second that the fleet can take, `reserve` percent are kept for critical ones. */
const FleetLimitSchema = z.strictObject({
  kind: z.literal("fleet"),
  capacity: wholeNumber("capacity", 1, RATE_MAX),
  reserve: wholeNumber("reserve", 0, 100).default(20),
});

/** Sheds while this gateway's event loop is later than `maxDelayMs`. */
const WorkerLimitSchema = z.strictObject({
  kind: z.literal("worker"),
  maxDelayMs: wholeNumber("maxDelayMs", 5, 10_000).default(100),
});

export const KINDS = ["rate", "concurrency", "fleet", "worker"] as const;

export const LimitSchema = z.discriminatedUnion(
  "kind",
  [RateLimitSchema, ConcurrencyLimitSchema, FleetLimitSchema, WorkerLimitSchema],
  {
    error: (issue) =>
      `kind must be one of ${KINDS.join(", ")}, got ${shown(fieldOf(issue.input, "kind"))}`,
  },
);

export type Limit = z.output<typeof LimitSchema>;
/** What refuses by plan; the others shed by priority. */
export type PlanLimit = Extract<Limit, { kind: "rate" | "concurrency" }>;
export type ShedderLimit = Extract<Limit, { kind: "fleet" | "worker" }>;
export type RateLimit = Extract<Limit, { kind: "rate" }>;

function fieldOf(input: unknown, name: string): unknown {
  return typeof input === "object" && input !== null && Object.hasOwn(input, name)
    ? (input as Record<string, unknown>)[name]
    : undefined;
}

export function isShedder(limit: Limit): limit is ShedderLimit {
  return limit.kind === "fleet" || limit.kind === "worker";
}

/** The amount for a plan, null when the rule sets none for it (a shedder never does). */
export function amountFor(limit: Limit, plan: string): Amount | null {
  if (isShedder(limit)) return null;
  // hasOwn: a plan may be called "constructor".
  if (Object.hasOwn(limit.perPlan, plan)) return limit.perPlan[plan] ?? null;
  if (plan === "anonymous" && limit.anonymous !== undefined) return limit.anonymous;
  return limit.default ?? null;
}

/** Plans that the limit names, and the amounts of the others; empty for a shedder. */
export function amountsOf(limit: Limit): {
  perPlan: Readonly<Record<string, Amount>>;
  anonymous?: Amount | undefined;
  default?: Amount | undefined;
} {
  return isShedder(limit) ? { perPlan: {} } : limit;
}

/** Whether an amount is of the form that the rule's kind has; "unlimited" always is. */
export function fitsLimit(limit: Limit, amount: Amount): boolean {
  if (isShedder(limit)) return false;
  if (amount === "unlimited") return true;
  if (limit.kind === "concurrency") return "concurrent" in amount;
  if ("concurrent" in amount) return false;
  if (limit.algorithm === "token-bucket") return "burst" in amount;
  if ("burst" in amount) return false;
  return limit.algorithm === "fixed-window" || SlidingAmountSchema.safeParse(amount).success;
}

/** `{rate, per, burst}`: the form that `fitsLimit` asks for, for a sentence. */
export function amountForm(limit: PlanLimit): string {
  if (limit.kind === "concurrency") return "{concurrent}";
  return limit.algorithm === "token-bucket" ? "{rate, per, burst}" : "{rate, per}";
}

/** `"60 per 1m"`, with `, burst 120` where the burst differs from the rate; `"20 at the same time"`. */
export function amountWords(amount: Amount): string {
  if (amount === "unlimited") return "unlimited";
  if ("concurrent" in amount) return `${amount.concurrent} at the same time`;
  const seconds = durationSeconds(amount.per);
  const per = seconds === null ? amount.per : durationWords(seconds);
  const hasBurst = "burst" in amount && amount.burst !== amount.rate;
  return `${amount.rate} per ${per}${hasBurst ? `, burst ${amount.burst}` : ""}`;
}
