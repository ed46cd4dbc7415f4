import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { findRule } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import type { Evidence } from "@/components/report/coverage-card";
import { narrowed } from "@/components/report/report-address";
import { ReportToolbar } from "@/components/report/report-toolbar";
import { ReportView } from "@/components/report/report-view";
import {
  betweenWords,
  rangeKeys,
  rangeQuery,
  rangeSince,
  timeRange,
} from "@/components/report/time-range";
import { Banner } from "@/components/ui/banner";
import { ButtonLink } from "@/components/ui/link";
import { RefreshEvery } from "@/components/ui/refresh-every";
import {
  type Ctx,
  findCountStart,
  getEnforcePreview,
  getRuleReport,
  listPlanNames,
} from "@/lib/control";
import type { RuleDetail } from "@/lib/core/api/rules";
import { AppError } from "@/lib/core/errors";
import { listOfRule } from "@/lib/core/own-rules";
import type { Mode } from "@/lib/core/rule";

type Props = { params: Promise<{ id: string }>; searchParams: SearchParams };

const REFRESH_MS = 5000;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Report of ${decodeURIComponent((await params).id)}` };
}

export default async function ReportPage({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id);
  const address = await searchTexts(searchParams, [
    "range",
    "from",
    "to",
    "mode",
    "plan",
    "route",
    "client",
    "revision",
  ]);
  const { plan, route, client, revision } = address;
  const ctx = await getPageCtx();
  const nowMs = ctx.clock.nowMs();
  const list = listOfRule(id);
  const live = list === null ? await findRule(id) : null;
  const mode = address.mode === "shadow" || address.mode === "enforce" ? address.mode : undefined;
  const start = await dataStart(ctx, { id, mode, live });
  const range = timeRange(address, nowMs, start === null ? "24h" : rangeSince(start, nowMs));
  // A client and a route at once is refused in words, not corrected.
  const filter = {
    ...narrowed({}, { plan, client, revision }),
    ...(route === undefined ? {} : { route }),
  };
  const query = { ...rangeQuery(range), ...filter };
  const [asked, plans] = await Promise.all([
    askFor(getRuleReport(ctx, { id, ...query, ...(mode ? { mode } : {}) })),
    listPlanNames(ctx),
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
  const isEnforceable = report.mode === "shadow" && live?.mode === "shadow";
  const evidence = isEnforceable ? await findEvidence(ctx, id) : null;
  const isChosen = range.kind === "last" && address.range !== range.name;
  const time = isChosen ? { range: range.name } : { ...rangeKeys(address) };
  return (
    <div className="flex flex-col gap-4">
      {range.kind === "last" && <RefreshEvery ms={REFRESH_MS} />}
      <ReportToolbar
        path={`${path}/report`}
        report={report}
        hasModes={list === null}
        time={time}
        mode={mode}
        filter={filter}
        rangeName={range.kind === "last" ? range.name : null}
        chosenAt={isChosen && range.name !== "24h" ? start : null}
        plans={plans}
        revisions={live?.revisions ?? []}
      />
      <ReportView
        report={report}
        evidence={evidence}
        words={range.kind === "last" ? range.words : betweenWords(report.from, report.to)}
        plans={plans}
        live={live === null ? null : { mode: live.mode, sentence: live.sentence }}
        path={path}
        asked={{ time, mode: mode === undefined ? {} : { mode }, filter }}
        exportQuery={{ ...query, mode: report.mode }}
        isPast={range.kind === "custom"}
      />
    </div>
  );
}

/** As the commit would judge it now; null when the rule was enforced or removed meanwhile. */
async function findEvidence(ctx: Ctx, id: string): Promise<Evidence | null> {
  try {
    return (await getEnforcePreview(ctx, { id })).evidence;
  } catch (error) {
    if (error instanceof AppError && (error.code === "conflict" || error.code === "not_found"))
      return null;
    throw error;
  }
}

/** When the mode's figures begin, in the last day: with the first count, else with what is live. */
async function dataStart(
  ctx: Ctx,
  { id, mode, live }: { id: string; mode: Mode | undefined; live: RuleDetail | null },
): Promise<number | null> {
  const isEnforced = (mode ?? live?.mode) === "enforce" || listOfRule(id) !== null;
  const counted = isEnforced ? "enforce" : "shadow";
  const first = await findCountStart(ctx, { id, mode: counted });
  if (first !== null) return first.getTime();
  return live === null ? null : Date.parse(live.changedAt);
}
