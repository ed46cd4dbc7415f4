import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { ModeTabs } from "@/components/report/mode-tabs";
import { RangePicker } from "@/components/report/range-picker";
import { ReportView } from "@/components/report/report-view";
import { rangeKeys, rangeQuery, timeRange } from "@/components/report/time-range";
import { Banner } from "@/components/ui/banner";
import { ButtonLink } from "@/components/ui/link";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { getRule, getRuleReport, listPlans } from "@/lib/control";
import { AppError } from "@/lib/core/errors";

type Props = { params: Promise<{ id: string }>; searchParams: SearchParams };

const REFRESH_MS = 5000;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Report of ${decodeURIComponent((await params).id)}` };
}

export default async function ReportPage({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id);
  const address = await searchTexts(searchParams, ["range", "from", "to", "mode"]);
  const ctx = await getPageCtx();
  const range = timeRange(address, ctx.clock.nowMs());
  const mode = address.mode === "shadow" || address.mode === "enforce" ? address.mode : undefined;
  const [asked, { items: plans }, live] = await Promise.all([
    askFor(getRuleReport(ctx, { id, ...rangeQuery(range), ...(mode ? { mode } : {}) })),
    listPlans(ctx),
    getRule(ctx, { id }).catch(nullIfAbsent),
  ]);
  const path = `/rules/${encodeURIComponent(id)}`;
  if (asked.data === undefined)
    return (
      <Banner
        tone="danger"
        title={asked.problem}
        actions={<ButtonLink href={`${path}/report`}>Show the last 24 h</ButtonLink>}
      />
    );
  const report = asked.data;
  const keys = rangeKeys(address);
  const reportPath = `${path}/report`;
  return (
    <div className="flex flex-col gap-4">
      {range.kind === "last" && <RefreshEvery ms={REFRESH_MS} />}
      <div className="flex flex-wrap items-center gap-2">
        <ModeTabs path={reportPath} query={keys} active={report.mode} />
        <RangePicker
          path={reportPath}
          query={{ mode: address.mode }}
          active={range.kind === "last" ? range.name : null}
          from={report.from}
          to={report.to}
        />
      </div>
      <ReportView
        report={report}
        words={range.words}
        plans={plans}
        live={live === null ? null : { mode: live.mode, sentence: live.sentence }}
        path={path}
        rangeKeys={keys}
        isPast={range.kind === "custom"}
      />
    </div>
  );
}

function nullIfAbsent(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}
