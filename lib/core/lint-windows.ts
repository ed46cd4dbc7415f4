import type { LintFinding } from "./api/change";
import { durationSeconds } from "./duration";
import { amountFor, amountsOf, type Limit } from "./limit";
import { countByWords, planLimits } from "./limit-sentence";
import type { Plan } from "./plan";
import type { Rule } from "./rule";

type Found = Pick<LintFinding, "level" | "code" | "path" | "message">;

/** By which a bucket is one plan's alone. */
const TELLS_PLANS = ["apiKey", "customer", "client", "plan"];

/**
 * Plans that meet in one bucket with windows of different lengths: there is one count in it, and whoever comes moves it
 * into a window of their own.
 */
export function windowFindings(rule: Rule, plans: readonly Plan[]): Found[] {
  const { limit, countBy } = rule;
  if (!isWindow(limit) || countBy.some((part) => TELLS_PLANS.includes(part))) return [];
  const lengths = new Map<string, { plan: string; per: string; from: string }>();
  for (const { plan, from } of planLimits(rule, plans)) {
    const amount = from === "not matched" ? null : amountFor(limit, plan);
    if (amount === null || amount === "unlimited" || !("per" in amount)) continue;
    const length = String(durationSeconds(amount.per) ?? amount.per);
    if (!lengths.has(length)) lengths.set(length, { plan, per: amount.per, from });
  }
  const [first, other] = [...lengths.values()];
  if (first === undefined || other === undefined) return [];
  const message = `counted ${countByWords(countBy)}, plans share a bucket, but ${first.plan} is counted per ${first.per} and ${other.plan} per ${other.per}: a request of the shorter window makes the longer one forget`;
  return [{ level: "warning", code: "windows-share-bucket", path: pathOf(limit, other), message }];
}

function isWindow(limit: Limit): boolean {
  return limit.kind === "rate" && limit.algorithm !== "token-bucket";
}

function pathOf(limit: Limit, { plan, from }: { plan: string; from: string }): string {
  if (from === "default") return "limit.default.per";
  return Object.hasOwn(amountsOf(limit).perPlan, plan)
    ? `limit.perPlan.${plan}.per`
    : "limit.anonymous.per";
}
