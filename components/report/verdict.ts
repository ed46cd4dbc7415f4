import { formatCompact, formatCount, formatPlural, formatShare } from "@/components/ui/format";
import type { Report } from "@/lib/core/api/report";

type Judged = Pick<
  Report,
  "mode" | "requests" | "rejections" | "wouldReject" | "share" | "clients" | "clientsCapped"
> & {
  byPlan: readonly { plan: string; clients: number | null }[];
  coverage: Pick<Report["coverage"], "seconds" | "gateways">;
};

type PlanName = { id: string; name: string; protected: boolean };

export type Verdict = {
  /** `none`: nothing is known. `quiet`: known, and nothing is refused. */
  kind: "none" | "quiet" | "hits";
  headline: string;
  /** Further sentences, the most important first. */
  notes: string[];
};

/** What the figures say, as one would say it aloud. No data is never "no rejections". */
export function verdictOf(
  report: Judged,
  { words, plans }: { words: string; plans: readonly PlanName[] },
): Verdict {
  const { mode, requests, rejections, wouldReject, share } = report;
  const isShadow = mode === "shadow";
  if (requests === 0) return noData(report, words);
  const of = `${formatCount(rejections)} of ${countWords(requests)} in ${words}`;
  const verb = isShadow ? "Would reject" : "Rejected";
  const already = wouldReject - rejections;
  const notes =
    isShadow && already > 0
      ? [
          `It would also refuse ${formatPlural(already, "request")} that another rule refuses already: enforcing does not change those.`,
        ]
      : [];
  if (rejections === 0) return { kind: "quiet", headline: `${verb} nothing: ${of}`, notes };
  return {
    kind: "hits",
    headline: `${verb} ${formatShare(share ?? 0)}: ${of}${clientWords(report, plans)}`,
    notes,
  };
}

function noData({ mode, coverage }: Judged, words: string): Verdict {
  const way = mode === "shadow" ? "in shadow" : "while enforced";
  const caution = mode === "shadow" ? ["This does not mean that nothing would be rejected."] : [];
  if (coverage.gateways === 0)
    return {
      kind: "none",
      headline: `No data in ${words}: no gateway reported`,
      notes: caution,
    };
  if (coverage.seconds === 0)
    return {
      kind: "none",
      headline: `No data in ${words}: the rule was not counted ${way}`,
      notes: caution,
    };
  return {
    kind: "none",
    headline: `No request matched this rule in ${words}`,
    notes: ["Gateways reported, and the rule was counted; it had nothing to decide."],
  };
}

function clientWords(
  { clients, clientsCapped, byPlan }: Judged,
  plans: readonly PlanName[],
): string {
  if (clients === null) return "";
  const atLeast = clientsCapped ? "at least " : "";
  const all = `${atLeast}${formatPlural(clients, "client")}`;
  const guarded = plans
    .filter((plan) => plan.protected)
    .flatMap((plan) => {
      const found = byPlan.find((row) => row.plan === plan.id)?.clients ?? 0;
      return found === 0 ? [] : [`${formatCount(found)} of them on ${plan.name}`];
    });
  return `; ${[all, ...guarded].join(", ")}`;
}

function countWords(count: number): string {
  return `${formatCompact(count)} ${count === 1 ? "request" : "requests"}`;
}
