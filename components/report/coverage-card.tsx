import { Card } from "@/components/ui/card";
import { formatCount, formatMs, formatPlural, formatShare } from "@/components/ui/format";
import { KeyValue } from "@/components/ui/key-value";
import { TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Coverage, Report } from "@/lib/core/api/report";

type CoverageCardProps = {
  report: Pick<Report, "coverage" | "requests" | "mode" | "basis">;
  /** Of the figures that nothing narrows, while these are narrowed: only those can be enough. */
  wholeHref?: string;
};

/** What the figures rest on, and whether that is enough to enforce by. */
export function CoverageCard({ report, wholeHref }: CoverageCardProps) {
  const { coverage, requests, mode, basis } = report;
  const { bounds, perGateway, enough, why } = coverage;
  // What is needed to enforce says nothing about figures of what is enforced.
  const isJudged = mode === "shadow" && wholeHref === undefined;
  const of = (value: string, bound: string) => (
    <>
      <span className="tabular-nums">{value}</span>
      {isJudged && <span className="whitespace-nowrap text-sm text-muted"> · needs {bound}</span>}
    </>
  );
  return (
    <Card title="What this rests on" className="h-full">
      {mode === "shadow" && wholeHref !== undefined && (
        <p className="mb-3 text-sm text-muted">
          Whether it is enough to enforce is judged by all requests of the rule:{" "}
          <TextLink href={wholeHref}>clear the filters</TextLink>.
        </p>
      )}
      {isJudged && (
        <div className="mb-3 flex flex-col gap-1">
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
        </div>
      )}
      <KeyValue
        items={[
          { label: "Counted for", value: of(ms(coverage.seconds), `≥ ${ms(bounds.minSeconds)}`) },
          {
            label: "Requests matched",
            value: of(formatCount(requests), `≥ ${formatCount(bounds.minRequests)}`),
          },
          {
            label: "Gateways",
            value: of(
              `${coverage.reporting} of ${coverage.gateways} reporting throughout`,
              coverage.gateways === 0 ? "at least one" : "all",
            ),
          },
          {
            label: "Counts dropped",
            value: of(
              `${formatCount(coverage.dropped)} (${formatShare(coverage.droppedShare)})`,
              `≤ ${formatShare(bounds.maxDroppedShare)}`,
            ),
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
      <GatewayGaps perGateway={perGateway} />
    </Card>
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
