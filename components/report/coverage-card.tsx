import { Card } from "@/components/ui/card";
import { formatCount, formatMs, formatPlural, formatShare } from "@/components/ui/format";
import { KeyValue } from "@/components/ui/key-value";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { EnforcePreview } from "@/lib/core/api/enforce-preview";
import type { Coverage, Report } from "@/lib/core/api/report";

export type Evidence = EnforcePreview["evidence"];

type CoverageCardProps = {
  report: Pick<Report, "coverage" | "requests" | "mode" | "basis">;
  /** What a rule in shadow has for being enforced, as the commit judges it; null where that is not the question. */
  evidence: Evidence | null;
};

/** What the figures rest on, and whether what is known of the limit is enough to enforce by. */
export function CoverageCard({ report, evidence }: CoverageCardProps) {
  const { coverage, requests, basis } = report;
  return (
    <Card title="What this rests on" className="h-full">
      {evidence !== null && <Enough evidence={evidence} />}
      <KeyValue
        items={[
          { label: "Counted for", value: ms(coverage.seconds) },
          { label: "Requests matched", value: formatCount(requests) },
          {
            label: "Gateways",
            value: `${coverage.reporting} of ${coverage.gateways} reporting throughout`,
          },
          {
            label: "Counts dropped",
            value: `${formatCount(coverage.dropped)} (${formatShare(coverage.droppedShare)})`,
          },
          {
            label: "Sampling",
            value:
              basis === "hitMinutes"
                ? "counts: all minutes with a rejection; log: a sample"
                : `counts: all; log: ${formatShare(coverage.sampling)} of rejections kept`,
          },
          {
            label: "Last report",
            value: coverage.lastReportAt ? (
              <Time at={coverage.lastReportAt} format="time" />
            ) : (
              "none in this time"
            ),
          },
        ]}
      />
      <GatewayGaps perGateway={coverage.perGateway} />
    </Card>
  );
}

/** Judged by all that is known of the limit, not by the time or the part of it that is shown. */
function Enough({ evidence }: { evidence: Evidence }) {
  const { enough, why, bounds, seconds, requests, gateways, reporting, droppedShare } = evidence;
  return (
    <section aria-label="Evidence" className="mb-3 flex flex-col gap-1 border-b pb-3">
      <Status tone={enough ? "success" : "warning"}>
        <strong className="font-semibold">
          {enough ? "Enough to enforce" : "Not enough to enforce yet"}
        </strong>
      </Status>
      {why.length > 0 && (
        <ul className="list-disc ps-9 text-sm">
          {why.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <p className="text-sm text-muted">
        This limit has {ms(seconds)} (needs {ms(bounds.minSeconds)}),{" "}
        {formatPlural(requests, "request")} (needs {formatCount(bounds.minRequests)}), {reporting}{" "}
        of {gateways} gateways throughout and {formatShare(droppedShare)} dropped (at most{" "}
        {formatShare(bounds.maxDroppedShare)}) in the last 24 h.
      </p>
    </section>
  );
}

function ms(seconds: number): string {
  return seconds === 0 ? "0 s" : formatMs(seconds * 1000);
}

function GatewayGaps({ perGateway }: Pick<Coverage, "perGateway">) {
  const gaps = perGateway.filter(
    ({ missingMinutes, dropped }) => missingMinutes > 0 || dropped > 0,
  );
  if (gaps.length === 0) return null;
  return (
    <ul aria-label="Gateways with gaps" className="mt-3 flex flex-col gap-1 border-t pt-3 text-sm">
      {gaps.map(({ id, missingMinutes, dropped }) => (
        <li key={id}>
          <Status tone="warning" className="max-w-full flex-wrap whitespace-normal">
            <UserText code>{id}</UserText>:{" "}
            {[
              missingMinutes > 0 && `${formatPlural(missingMinutes, "minute")} without a report`,
              dropped > 0 && `${formatPlural(dropped, "request")} not counted`,
            ]
              .filter(Boolean)
              .join(", ")}
          </Status>
        </li>
      ))}
    </ul>
  );
}
