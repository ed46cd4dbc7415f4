import { CircleCheck, CircleHelp, Eye, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";
import type { Report } from "@/lib/core/api/report";
import { verdictOf } from "./verdict";

type ReportVerdictProps = {
  report: Report;
  words: string;
  plans: Parameters<typeof verdictOf>[1]["plans"];
  /** The one revision that was asked for. */
  revision: number | null;
  footer: ReactNode;
  actions?: ReactNode;
  /** How to get data, when there is none. */
  children?: ReactNode;
};

/** The one sentence of a report. */
export function ReportVerdict(props: ReportVerdictProps) {
  const { report, words, plans, revision, footer, actions, children } = props;
  const { kind, headline, notes } = verdictOf(report, { words, plans, revision });
  const [Icon, style] =
    kind === "none"
      ? [CircleHelp, "border-warning-border bg-warning-subtle [&_.mark]:text-warning"]
      : kind === "quiet"
        ? [CircleCheck, "border-border bg-surface [&_.mark]:text-success"]
        : report.mode === "shadow"
          ? [Eye, "border-shadow-border bg-surface [&_.mark]:text-shadow"]
          : [ShieldCheck, "border-enforce-border bg-surface [&_.mark]:text-enforce"];
  return (
    <section aria-label="Verdict" className={cn("rounded-lg border px-4 py-3.5", style)}>
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-80 items-start gap-3">
          <Icon aria-hidden className="mark mt-1 size-5 shrink-0" />
          <div className="min-w-0">
            <p className="text-balance text-xl font-semibold tracking-tight" data-testid="verdict">
              {headline}
            </p>
            {notes.map((note) => (
              <p key={note} className="mt-0.5">
                {note}
              </p>
            ))}
            {children && <div className="mt-2">{children}</div>}
          </div>
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      <div className="mt-2.5 flex flex-col gap-1 ps-8 text-sm text-muted">
        {footer}
        {report.resolution.notes.length > 0 && (
          <p>Older figures are kept less finely: {report.resolution.notes.join("; ")}.</p>
        )}
      </div>
    </section>
  );
}
