import { formatCount, formatShare } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import type { Report } from "@/lib/core/api/report";

type WorstMinutesProps = {
  report: Pick<Report, "worst" | "mode" | "from" | "to" | "resolution">;
  /** Address of the same figures between two instants. */
  betweenHref: (from: string, to: string) => string;
};

/** When it was worst, leading to just that time. */
export function WorstMinutes({ report, betweenHref }: WorstMinutesProps) {
  const { worst, mode, from, to, resolution } = report;
  if (worst === null || isAll(worst, { from, to })) return null;
  const { requests, rejections, share } = worst;
  const day = worst.from.slice(0, 10);
  const { worstFrom } = resolution;
  const isPartial = worstFrom !== null && Date.parse(worstFrom) > Date.parse(from);
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  return (
    <p className="mb-3 text-sm" data-testid="worst">
      <span className="text-muted">
        Worst 5 minutes{isPartial && ` since ${worstFrom.slice(0, 10)}`}:
      </span>{" "}
      <TextLink
        href={betweenHref(worst.from, worst.to)}
        prefetch={false}
        className="whitespace-nowrap tabular-nums"
      >
        {isOneDay ? "" : `${day} `}
        {worst.from.slice(11, 16)}–{worst.to.slice(11, 16)} UTC
      </TextLink>
      , {mode === "shadow" ? "would reject" : "rejected"} {formatCount(rejections)} of{" "}
      {formatCount(requests)}
      {share !== null && ` (${formatShare(share)})`}
    </p>
  );
}

function isAll(worst: { from: string; to: string }, shown: { from: string; to: string }): boolean {
  return (
    Date.parse(worst.from) <= Date.parse(shown.from) && Date.parse(worst.to) >= Date.parse(shown.to)
  );
}
