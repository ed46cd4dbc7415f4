import { formatCount, formatMs, formatPlural, formatShare } from "@/components/ui/format";
import type { Enforcement } from "@/lib/core/api/enforcement";

export type MeasuredBound = {
  name: string;
  bound: string;
  now: string;
  state: "within" | "crossed" | "unknown";
};

type Watched = Pick<
  Enforcement,
  "guardrail" | "judgement" | "predicted" | "actual" | "protectedPlans"
>;

/** Each bound that is watched, with what it was at the last look. */
export function measuredBounds({
  guardrail,
  judgement,
  predicted,
  actual,
  protectedPlans,
}: Watched): MeasuredBound[] {
  if (guardrail === null) return [];
  const rows: MeasuredBound[] = [];
  const window = judgement?.window;
  const share = window?.share ?? null;
  const isJudged = window !== undefined && window.requests >= guardrail.minRequests;
  const measured =
    share === null || window === undefined
      ? "no request yet"
      : `${formatShare(share)} of ${formatPlural(window.requests, "request")} in ${formatMs(window.seconds * 1000)}`;
  const few =
    isJudged || share === null ? "" : `, judged from ${formatCount(guardrail.minRequests)}`;
  const stateOf = (isCrossed: boolean) =>
    share === null || !isJudged ? "unknown" : isCrossed ? "crossed" : "within";
  const { maxRejectedShare, timesPredicted } = guardrail;
  if (maxRejectedShare !== null)
    rows.push({
      name: "Refused",
      bound: `at most ${formatShare(maxRejectedShare)}`,
      now: `${measured}${few}`,
      state: stateOf(share !== null && share > maxRejectedShare),
    });
  if (timesPredicted !== null) {
    // As the guardrail takes it: none seen is one of so many.
    const most =
      predicted === null || predicted.requests === 0
        ? null
        : (timesPredicted * Math.max(1, predicted.rejections)) / predicted.requests;
    rows.push({
      name: "Against what shadow foretold",
      bound:
        most === null
          ? `at most ${timesPredicted} ×, but nothing was foretold`
          : `at most ${formatShare(Math.min(1, most))} (${timesPredicted} ×)`,
      now: `${measured}${few}`,
      state: most === null ? "unknown" : stateOf(share !== null && share > most),
    });
  }
  const plans = guardrail.protectedPlans === true ? protectedPlans : guardrail.protectedPlans || [];
  for (const plan of plans) {
    const row = actual.byPlan.find((each) => each.plan === plan);
    const refused = judgement?.rejectionsByPlan.find((each) => each.plan === plan)?.rejections ?? 0;
    rows.push({
      name: `Clients on ${plan}`,
      bound: "none refused",
      now:
        row === undefined || row.requests === 0
          ? "no request yet"
          : `${formatCount(row.rejections)} of ${formatPlural(row.requests, "request")} refused`,
      // Watched anew, what was refused before no longer counts.
      state: row === undefined ? "unknown" : refused > 0 ? "crossed" : "within",
    });
  }
  return rows;
}
