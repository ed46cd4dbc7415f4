import { durationSeconds } from "@/lib/core/duration";
import { PER_MAX_SECONDS } from "@/lib/core/limit";
import { type RuleInput, recordAt, textAt } from "./rule-input";

/** Kind and algorithm as one choice. */
export const WAYS = [
  "token-bucket",
  "sliding-window",
  "fixed-window",
  "concurrency",
  "fleet",
  "worker",
] as const;
export type Way = (typeof WAYS)[number];

/** What a rule had under each way, so that going back finds it again. */
export type Kept = ReadonlyMap<Way, RuleInput>;

const AMOUNTS = ["perPlan", "anonymous", "default"];
const OWN: Record<Way, readonly string[]> = {
  "token-bucket": AMOUNTS,
  "sliding-window": AMOUNTS,
  "fixed-window": ["timeZone", ...AMOUNTS],
  concurrency: ["lease", ...AMOUNTS],
  fleet: ["capacity", "reserve"],
  worker: ["maxDelayMs"],
};
const KNOWN = new Set(["kind", "algorithm", ...Object.values(OWN).flat()]);
const START: Record<string, unknown> = {
  timeZone: "UTC",
  lease: "30s",
  capacity: 1000,
  reserve: 20,
  maxDelayMs: 100,
};

export function isRateWay(way: Way | null): boolean {
  return way === "token-bucket" || way === "sliding-window" || way === "fixed-window";
}

export function isShedderWay(way: Way | null): boolean {
  return way === "fleet" || way === "worker";
}

/** Null for what the form does not know. */
export function wayOf(input: RuleInput): Way | null {
  const kind = textAt(input, ["limit", "kind"]);
  const text = kind === "rate" ? textAt(input, ["limit", "algorithm"]) : kind;
  return WAYS.find((way) => way === text && isRateWay(way) === (kind === "rate")) ?? null;
}

/** An amount to begin with. */
export function startAmount(way: Way): Record<string, unknown> {
  if (way === "concurrency") return { concurrent: 10 };
  if (way === "fixed-window") return { rate: 10_000, per: "1mo" };
  return way === "token-bucket" ? { rate: 60, per: "1m", burst: 60 } : { rate: 60, per: "1m" };
}

/**
 * The rule with another way to limit. Amounts are carried over where the new way can say them; what it has no place
 * for is kept for the way back. Keys that no way knows stay.
 */
export function switchWay(
  input: RuleInput,
  way: Way,
  kept: Kept,
): { input: RuleInput; kept: Kept } {
  const from = wayOf(input);
  if (from === way) return { input, kept };
  // The latest comes last.
  const next = new Map([...kept].filter(([each]) => each !== from));
  if (from !== null) next.set(from, input);
  const limit = recordAt(input, ["limit"]);
  const own: RuleInput = {};
  for (const name of OWN[way]) {
    const value = AMOUNTS.includes(name)
      ? amountsFor(name, { way, from, limit, kept: next })
      : (limit[name] ?? recordAt(next.get(way) ?? {}, ["limit"])[name] ?? START[name]);
    if (value !== undefined) own[name] = value;
  }
  const unknown = Object.entries(limit).filter(([name]) => !KNOWN.has(name));
  const head = isRateWay(way) ? { kind: "rate", algorithm: way } : { kind: way };
  const switched = { ...input, limit: { ...head, ...own, ...Object.fromEntries(unknown) } };
  return { input: { ...switched, ...besides(input, way, from, next) }, kept: next };
}

/** Of the fields beside the limit, those that the new way has a say in. */
function besides(input: RuleInput, way: Way, from: Way | null, kept: Kept): RuleInput {
  const last = (is: (way: Way) => boolean) => [...kept].findLast(([each]) => is(each))?.[1];
  const fields: RuleInput = {};
  if (isShedderWay(way)) fields.countBy = ["global"];
  else if (isShedderWay(from)) {
    fields.countBy = last((each) => !isShedderWay(each))?.countBy ?? ["client"];
  }
  if (!isRateWay(way)) return { ...fields, cost: 1, precision: "exact" };
  const source = isRateWay(from) ? input : (last(isRateWay) ?? input);
  if (source.cost !== undefined) fields.cost = source.cost;
  if (source.precision !== undefined) fields.precision = source.precision;
  const isLeasable = way === "token-bucket";
  if (fields.precision === "leased" && !isLeasable) fields.precision = "exact";
  return fields;
}

type Change = { way: Way; from: Way | null; limit: RuleInput; kept: Kept };

function amountsFor(name: string, { way, from, limit, kept }: Change): unknown {
  const last = (is: (way: Way) => boolean) => [...kept].findLast(([each]) => is(each))?.[1];
  const before = kept.get(way) ?? (isRateWay(way) ? last(isRateWay) : undefined);
  const held = recordAt(before ?? {}, ["limit"])[name];
  const source =
    from === null || !isShedderWay(from)
      ? limit
      : recordAt(last((each) => !isShedderWay(each)) ?? {}, ["limit"]);
  const value = source[name];
  if (name !== "perPlan") {
    // A shedder has no amounts: without any from before, a limit needs one.
    const isBare = AMOUNTS.every((each) => source[each] === undefined);
    return isBare && name === "default" ? startAmount(way) : convert(value, way, held);
  }
  const plans = Object.entries(recordAt(source, ["perPlan"]));
  const heldPlans = recordAt({ held }, ["held"]);
  return Object.fromEntries(
    plans.map(([plan, amount]) => [plan, convert(amount, way, heldPlans[plan])]),
  );
}

function isRecord(value: unknown): value is RuleInput {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function convert(amount: unknown, way: Way, held: unknown): unknown {
  if (!isRecord(amount)) return amount;
  const isCount = "concurrent" in amount;
  if (isCount === (way === "concurrency")) {
    return way === "concurrency" ? amount : convertRate(amount, way, held);
  }
  if (!isRecord(held) || "concurrent" in held !== (way === "concurrency")) return startAmount(way);
  return way === "concurrency" ? held : convertRate(held, way, held);
}

function convertRate(amount: RuleInput, way: Way, held: unknown): RuleInput {
  const { burst, ...rest } = amount;
  const converted: RuleInput =
    way === "fixed-window" ? rest : { ...rest, per: withoutMonths(rest.per) };
  const before = isRecord(held) ? held : {};
  const isAsBefore =
    before.rate === amount.rate && withoutMonths(before.per) === withoutMonths(amount.per);
  if (isAsBefore && way === "fixed-window") converted.per = before.per;
  if (way !== "token-bucket") return converted;
  return { ...converted, burst: burst ?? (isAsBefore ? before.burst : undefined) ?? amount.rate };
}

/** Only calendars know months, or more than 30 days. */
function withoutMonths(per: unknown): unknown {
  if (typeof per !== "string") return per;
  const seconds = durationSeconds(per);
  const isTooLong = seconds === null ? /^\d+mo$/.test(per) : seconds > PER_MAX_SECONDS;
  return isTooLong ? "30d" : per;
}
