import { hrefWith } from "@/components/ui/cursor-pages";
import { ButtonLink } from "@/components/ui/link";
import type { PlanRow } from "@/lib/core/api/plans";
import type { Report } from "@/lib/core/api/report";
import type { Mode } from "@/lib/core/rule";
import { AsOf } from "./as-of";
import { CoverageCard } from "./coverage-card";
import { NoDataHelp } from "./no-data-help";
import { ReportFigures } from "./report-figures";
import { ReportVerdict } from "./report-verdict";

type ReportViewProps = {
  report: Report;
  /** The time in words, such as `the last 24 h`. */
  words: string;
  plans: readonly PlanRow[];
  live: { mode: Mode; sentence: string } | null;
  path: string;
  /** The address's keys that name the time. */
  rangeKeys: Record<string, string | undefined>;
  /** Two instants were asked for, not a length that ends now. */
  isPast: boolean;
};

export function ReportView(props: ReportViewProps) {
  const { report, words, plans, live, path, rangeKeys, isPast } = props;
  const { mode, coverage } = report;
  const isKnown = report.requests > 0;
  const logHref = (more: Record<string, string | undefined> = {}) =>
    hrefWith(`${path}/log`, { ...rangeKeys, mode, ...more });
  return (
    <div className="flex flex-col gap-4">
      <ReportVerdict
        report={report}
        words={words}
        plans={plans}
        footer={
          <AsOf
            at={report.to}
            reporting={coverage.reporting}
            gateways={coverage.gateways}
            isPast={isPast}
          />
        }
        actions={isKnown && <ButtonLink href={logHref()}>Open the log</ButtonLink>}
      >
        {!isKnown && (
          <NoDataHelp
            report={report}
            mode={live?.mode ?? null}
            sentence={live?.sentence ?? null}
            otherModeHref={hrefWith(`${path}/report`, {
              ...rangeKeys,
              mode: mode === "shadow" ? "enforce" : "shadow",
            })}
          />
        )}
      </ReportVerdict>
      {isKnown ? (
        <ReportFigures report={report} plans={plans} logHref={logHref} />
      ) : (
        <CoverageCard coverage={coverage} requests={0} mode={mode} />
      )}
    </div>
  );
}
