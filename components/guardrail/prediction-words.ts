import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import type { Enforcement } from "@/lib/core/api/enforcement";

type Compared = Pick<Enforcement, "predicted" | "actual" | "ratio" | "version">;

/** Predicted against actual, in words that never take no data for no rejections. */
export function predictionWords({ predicted, actual, ratio, version }: Compared): string {
  return `${actualWords(actual, version)} ${predictedWords(predicted, actual, ratio)}`;
}

function actualWords({ requests, rejections }: Compared["actual"], version: number): string {
  if (requests === 0)
    return `No request was counted on gateways with v${version} yet: nobody can say what it refuses.`;
  return `Since v${version} it refused ${formatShare(rejections / requests)} (${formatCount(rejections)} of ${formatCount(requests)}).`;
}

function predictedWords(
  predicted: Compared["predicted"],
  actual: Compared["actual"],
  ratio: number | null,
): string {
  if (predicted === null || predicted.requests === 0)
    return "Shadow had counted nothing before, so nothing was foretold.";
  const { requests, rejections } = predicted;
  if (rejections === 0) {
    const none = `Shadow foretold none of ${formatPlural(requests, "request")}`;
    return actual.rejections > 0 ? `${none}: this is more than it saw.` : `${none}.`;
  }
  const foretold = `Shadow foretold ${formatShare(rejections / requests)} (${formatCount(rejections)} of ${formatCount(requests)})`;
  return ratio === null ? `${foretold}.` : `${foretold}: ${ratioWords(ratio)}.`;
}

/** `1.5 times as much`, `0.4 of it, as clients that are refused back off`, `as foretold` */
export function ratioWords(ratio: number): string {
  if (ratio === 0) return "none of it came";
  if (ratio >= 0.9 && ratio <= 1.1) return "as foretold";
  const figure = ratio >= 10 ? Math.round(ratio) : Number(ratio.toPrecision(2));
  return ratio > 1
    ? `${figure} times as much`
    : `${figure} of it, as when clients that are refused back off`;
}

export type PlanComparison = {
  plan: string;
  predicted: number | null;
  actual: number | null;
  requests: number;
  rejections: number;
  words: string;
};

/** By plan, those that were refused most first. */
export function planComparisons({
  predicted,
  actual,
}: Pick<Compared, "predicted" | "actual">): PlanComparison[] {
  const foretold = new Map(predicted?.byPlan.map((row) => [row.plan, row]));
  const seen = new Map(actual.byPlan.map((row) => [row.plan, row]));
  const rows = [...new Set([...seen.keys(), ...foretold.keys()])].map((plan): PlanComparison => {
    const was = foretold.get(plan)?.share ?? null;
    const is = seen.get(plan)?.share ?? null;
    const { requests = 0, rejections = 0 } = seen.get(plan) ?? {};
    return { plan, predicted: was, actual: is, requests, rejections, words: rowWords(was, is) };
  });
  return rows.toSorted((a, b) => b.rejections - a.rejections || (a.plan < b.plan ? -1 : 1));
}

function rowWords(was: number | null, is: number | null): string {
  if (is === null) return "no request yet";
  if (was === null) return "nothing was foretold";
  if (was === 0) return is === 0 ? "as foretold" : "none was foretold";
  return ratioWords(is / was);
}
