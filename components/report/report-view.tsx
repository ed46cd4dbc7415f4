import { hrefWith } from "@/components/ui/cursor-pages";
import { ExportLinks } from "@/components/ui/export-links";
import { ButtonLink } from "@/components/ui/link";
import type { PlanRow } from "@/lib/core/api/plans";
import type { Report } from "@/lib/core/api/report";
import type { Mode } from "@/lib/core/rule";
import { AsOf } from "./as-of";
import { CoverageCard, type Evidence } from "./coverage-card";
import { NoDataHelp } from "./no-data-help";
import { isNarrowed, type ReportFilter, reportHref } from "./report-address";
import { ReportFigures } from "./report-figures";
import { ReportVerdict } from "./report-verdict";

type ReportViewProps = {
  report: Report;
  evidence: Evidence | null;
  /** The time in words, such as `in the last 24 h`. */
  words: string;
  plans: readonly Pick<PlanRow, "id" | "name" | "protected">[];
  live: { mode: Mode; sentence: string } | null;
  /** Of the rule. */
  path: string;
  /** What the address asks for: the time, the mode, and what narrows the figures. */
  asked: {
    time: Record<string, string | undefined>;
    mode: Record<string, string | undefined>;
    filter: ReportFilter;
  };
  /** What the API is asked for these figures as a file. */
  exportQuery: Record<string, string | undefined>;
  /** Two instants were asked for, not a length that ends now. */
  isPast: boolean;
};

export function ReportView(props: ReportViewProps) {
  const { report, evidence, words, plans, live, path, asked, exportQuery, isPast } = props;
  const { mode, coverage } = report;
  const { time, filter } = asked;
  const isKnown = report.requests > 0;
  const reportPath = `${path}/report`;
  const href = reportHref(reportPath, { ...time, ...asked.mode });
  const { revision, ...others } = filter;
  const logHref = (more: Record<string, string | undefined> = {}) =>
    hrefWith(`${path}/log`, { ...time, mode, ...filter, ...more });
  return (
    <div className="flex flex-col gap-4">
      <ReportVerdict
        report={report}
        words={words}
        plans={plans}
        revision={revision === undefined ? null : Number(revision)}
        footer={
          <AsOf
            at={report.to}
            reporting={coverage.reporting}
            gateways={coverage.gateways}
            isPast={isPast}
          />
        }
        actions={
          isKnown && (
            <>
              <ButtonLink href={logHref()}>Open the log</ButtonLink>
              <ExportLinks
                path={`/api/v1/rules/${encodeURIComponent(report.rule)}/report/export`}
                query={exportQuery}
                of="These figures"
              />
            </>
          )
        }
      >
        {!isKnown && (
          <NoDataHelp
            report={report}
            mode={live?.mode ?? null}
            sentence={live?.sentence ?? null}
            otherModeHref={hrefWith(reportPath, {
              ...time,
              ...others,
              mode: mode === "shadow" ? "enforce" : "shadow",
            })}
            wholeHref={isNarrowed(filter) ? href({}) : null}
          />
        )}
      </ReportVerdict>
      {isKnown ? (
        <ReportFigures
          report={report}
          evidence={evidence}
          plans={plans}
          filter={filter}
          href={href}
          betweenHref={(from, to) => hrefWith(reportPath, { from, to, mode, ...filter })}
          logHref={logHref}
        />
      ) : (
        <CoverageCard report={report} evidence={evidence} />
      )}
    </div>
  );
}
