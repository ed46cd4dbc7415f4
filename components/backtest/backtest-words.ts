import { formatCompact, formatCount, formatPlural, formatShare } from "@/components/ui/format";
import type { BacktestAnswer, BacktestRow, PlanDemandRow } from "@/lib/core/api/backtests";

export type BacktestVerdict = {
  kind: "none" | "quiet" | "hits";
  headline: string;
  notes: string[];
};

type PlanName = { id: string; name: string; protected: boolean };

/** What a backtest found, as one would say it aloud. */
export function backtestVerdict(
  { rule, judged, result }: Pick<BacktestAnswer, "rule" | "judged" | "result">,
  plans: readonly PlanName[],
): BacktestVerdict {
  if (result === null) return { kind: "none", headline: "There is no result", notes: [] };
  const { total, asked } = result;
  if (total.requests === 0)
    return {
      kind: "none",
      headline: "There was no request to judge",
      notes: ["This does not mean that nothing would be rejected."],
    };
  const isShadow = judged?.mode === "shadow";
  if (rule !== null && asked === null)
    return { kind: "none", headline: `Rule ${rule} cannot be judged from recordings`, notes: [] };
  const figures = asked ?? total;
  if (figures.requests === 0)
    return {
      kind: "none",
      headline: `No request matches this rule, of ${formatCompact(total.requests)} that were judged`,
      notes: [],
    };
  const also =
    result.rules.find((row) => row.rule === rule && row.lane === "live")?.alsoRefused ?? 0;
  const notes = [
    ...(also > 0
      ? [`It would also refuse ${formatPlural(also, "request")} that another rule refuses already.`]
      : []),
    ...(isShadow ? ["It is judged in shadow: the other rules decide as they are."] : []),
  ];
  const whose = rule === null ? "" : " that it matches";
  const of = `${formatCount(figures.rejections)} of ${countWords(figures.requests)}${whose}`;
  if (figures.rejections === 0)
    return { kind: "quiet", headline: `Would reject nothing: ${of}`, notes };
  const hit = plans.filter(
    (plan) =>
      plan.protected &&
      figures.byPlan.some((row) => row.plan === plan.id && row.clientsRejected > 0),
  );
  const guarded = hit.map(({ id, name }) => {
    const clients = figures.byPlan.find((row) => row.plan === id)?.clientsRejected ?? 0;
    return `, ${formatCount(clients)} of them on ${name}`;
  });
  const clients = `${formatCount(figures.clientsRejected)} of ${formatPlural(figures.clients, "client")}`;
  return {
    kind: "hits",
    headline: `Would reject ${formatShare(figures.share)}: ${of}; ${clients}${guarded.join("")}`,
    notes,
  };
}

function countWords(count: number): string {
  return `${formatCompact(count)} ${count === 1 ? "request" : "requests"}`;
}

/** `6 per 1h, burst 6` */
export function amountText(amount: PlanDemandRow["limit"]): string {
  if ("concurrent" in amount) return `${formatCount(amount.concurrent)} at once`;
  const burst = "burst" in amount ? `, burst ${formatCount(amount.burst)}` : "";
  return `${formatCount(amount.rate)} per ${amount.per}${burst}`;
}

export function sourceText({ source }: Pick<BacktestRow, "source">): string {
  if (source.kind === "log") return source.name;
  return `the tape, ${source.from.slice(0, 16).replace("T", " ")} to ${source.to.slice(0, 16).replace("T", " ")} UTC`;
}
