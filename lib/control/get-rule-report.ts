import type { z } from "zod";
import { type Coverage, type Report, ReportQuerySchema } from "@/lib/core/api/report";
import { VersionKindSchema } from "@/lib/core/api/versions";
import type { Lane } from "@/lib/core/counts";
import { judgeEvidence } from "@/lib/core/evidence";
import { parseInput } from "@/lib/core/parse";
import type { Settings } from "@/lib/core/ruleset";
import { inSnapshot, type Reader } from "@/lib/db/client";
import type { Ctx } from "./context";
import { hitRow } from "./hit-row";
import { type MeasuredCoverage, measureCoverage, type ReportedMinute } from "./measure-coverage";
import { requirePermission } from "./permission";
import { readCoverage } from "./read-coverage";
import {
  type CountFigures,
  clientFigures,
  countFigures,
  NO_FIGURES,
  type ReportScope,
} from "./report-figures";
import { type ReportRange, reportRange } from "./report-range";
import { reportedRule } from "./reported-rule";
import { ruleSpans } from "./rule-spans";
import { sampledShare } from "./sampled-share";

const SAMPLES = 20;

/** What a rule did, or would have done, and what that rests on: all of one moment of the database. */
export async function getRuleReport(
  ctx: Ctx,
  { id, lane = "live", ...query }: { id: string; lane?: Lane } & z.input<typeof ReportQuerySchema>,
): Promise<Report> {
  requirePermission(ctx, "read");
  const asked = parseInput(ReportQuerySchema, query, "the report's query");
  const nowMs = ctx.clock.nowMs();
  const range = reportRange(asked, nowMs);
  return inSnapshot(ctx.db, async (reader) => {
    const rule = await reportedRule(reader, id);
    const mode = asked.mode ?? rule.mode;
    const scope: ReportScope = {
      ...range,
      ruleId: id,
      lane,
      mode,
      revision: asked.revision ?? null,
    };
    const counts = await countFigures(reader, scope);
    const clients = await clientFigures(reader, scope);
    const { measured, minutes } = await coverageOf(reader, scope, nowMs);
    const { total } = counts;
    return {
      rule: id,
      mode,
      revision: asked.revision ?? rule.revision,
      from: new Date(range.fromMs).toISOString(),
      to: new Date(range.toMs).toISOString(),
      ...total,
      share: total.requests === 0 ? null : total.rejections / total.requests,
      clients: clients.clients,
      clientsCapped: clients.hasOther || measured.droppedClients > 0,
      byPlan: counts.byPlan.map((row) => ({
        ...row,
        clients: clients.clientsByPlan.get(row.plan) ?? 0,
      })),
      topClients: clients.top,
      routes: counts.byRoute,
      stepSeconds: range.stepSeconds,
      series: seriesOf(range, counts, minutes),
      marks: await marksOf(reader, range),
      samples: await samplesOf(reader, scope),
      coverage: judged({ measured, counts, bounds: rule.bounds }),
    };
  });
}

async function coverageOf(reader: Reader, scope: ReportScope, nowMs: number) {
  const { ruleId, mode, revision, fromMs, toMs } = scope;
  const interval = { fromMs, toMs, nowMs };
  const all = await ruleSpans(reader, { ruleId, fromMs, toMs });
  const spans = all.filter(
    (span) => span.mode === mode && (revision === null || span.revision === revision),
  );
  const reported = await readCoverage(reader, interval);
  return {
    measured: measureCoverage({ ...interval, spans, ...reported }),
    minutes: reported.minutes,
  };
}

function judged({
  measured,
  counts: { total, kept },
  bounds,
}: {
  measured: MeasuredCoverage;
  counts: CountFigures;
  bounds: Settings["evidence"];
}): Coverage {
  const { seconds, gateways, reporting, dropped, droppedShare, perGateway } = measured;
  const { enough, why } = judgeEvidence(bounds, {
    seconds,
    requests: total.requests,
    gatewaysLive: gateways,
    gatewaysReporting: reporting,
    droppedShare,
  });
  const { lastReportMs } = measured;
  return {
    gateways,
    reporting,
    sampling: sampledShare(kept, total.wouldReject),
    dropped,
    droppedShare,
    seconds,
    enough,
    why,
    bounds,
    perGateway,
    lastReportAt: lastReportMs === null ? null : new Date(lastReportMs).toISOString(),
  };
}

/** Zero where gateways reported and the rule counted nothing; `reported: false` where nobody did. */
function seriesOf(
  { fromMs, toMs, stepSeconds }: ReportRange,
  { bySecond }: CountFigures,
  minutes: readonly ReportedMinute[],
): Report["series"] {
  const stepOf = (second: number) => Math.floor(second / stepSeconds) * stepSeconds;
  const reported = new Set(minutes.map(({ minute }) => stepOf(minute * 60)));
  const series: Report["series"] = [];
  for (let second = stepOf(fromMs / 1000); second * 1000 < toMs; second += stepSeconds) {
    series.push({
      t: new Date(second * 1000).toISOString(),
      ...(bySecond.get(second) ?? NO_FIGURES),
      reported: reported.has(second),
    });
  }
  return series;
}

async function marksOf(reader: Reader, { fromMs, toMs }: ReportRange): Promise<Report["marks"]> {
  const versions = await reader.version.findMany({
    where: { createdAt: { gte: new Date(fromMs), lt: new Date(toMs) } },
    select: { number: true, kind: true, message: true, createdAt: true },
    orderBy: { number: "asc" },
  });
  return versions.map(({ number, kind, message, createdAt }) => ({
    t: createdAt.toISOString(),
    version: number,
    kind: VersionKindSchema.parse(kind),
    message,
  }));
}

async function samplesOf(
  reader: Reader,
  { ruleId, lane, mode, revision, fromMs, toMs }: ReportScope,
): Promise<Report["samples"]> {
  const rows = await reader.hitSample.findMany({
    where: {
      ruleId,
      mode,
      lane,
      at: { gte: new Date(fromMs), lt: new Date(toMs) },
      ...(revision === null ? {} : { revision }),
    },
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: SAMPLES,
  });
  return rows.map(hitRow);
}
