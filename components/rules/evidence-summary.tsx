import { Banner } from "@/components/ui/banner";
import { formatCount, formatMs, formatPlural, formatShare } from "@/components/ui/format";
import type { Report } from "@/lib/core/api/report";
import { durationWords } from "@/lib/core/duration";

type EvidenceSummaryProps = {
  report: Report;
  /** What is missing, a sentence each. */
  gaps: readonly string[];
  isThin: boolean;
};

/** The verdict in one line, what it rests on, and what that lacks. */
export function EvidenceSummary({ report, gaps, isThin }: EvidenceSummaryProps) {
  const { coverage } = report;
  const { bounds } = coverage;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-lg font-semibold text-balance">{verdict(report)}</p>
      <Banner
        tone={isThin ? "warning" : "success"}
        title={isThin ? "Not enough evidence" : "Enough evidence"}
      >
        {isThin && (
          <ul className="list-disc ps-4">
            {gaps.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
        )}
        <p className={isThin ? "mt-1 text-muted" : "text-muted"}>
          Counted for {formatMs(coverage.seconds * 1000)},{" "}
          {formatPlural(report.requests, "request")}, {coverage.reporting} of{" "}
          {formatPlural(coverage.gateways, "gateway")} throughout,{" "}
          {formatShare(coverage.droppedShare)} dropped. Asked for:{" "}
          {durationWords(bounds.minSeconds)}, {formatPlural(bounds.minRequests, "request")}, all
          gateways, at most {formatShare(bounds.maxDroppedShare)} dropped.
        </p>
      </Banner>
    </div>
  );
}

function verdict({ requests, rejections, newly, share, clients, clientsCapped }: Report): string {
  if (requests === 0)
    return "Nothing was counted in shadow in the last 24 h: nobody can say who would be hit.";
  const who = `${clientsCapped ? "at least " : ""}${formatPlural(clients ?? 0, "client")}`;
  if (rejections === 0)
    return `It would have refused none of ${formatPlural(requests, "request")} in the last 24 h.`;
  const only = newly < rejections ? ` ${formatCount(newly)} of these pass today.` : "";
  return `It would have refused ${formatShare(share ?? 0)} (${formatCount(rejections)} of ${formatCount(requests)}) in the last 24 h, of ${who}.${only}`;
}
