import type { z } from "zod";
import { type Coverage, type Report, ReportQuerySchema } from "@/lib/core/api/report";
import { VersionKindSchema } from "@/lib/core/api/versions";
import { type Lane, OTHER_CLIENTS } from "@/lib/core/counts";
import { judgeEvidence } from "@/lib/core/evidence";
import { parseInput } from "@/lib/core/parse";
import type { Settings } from "@/lib/core/ruleset";
import { inSnapshot, type Reader } from "@/lib/db/client";
import { clientLimits } from "./client-limits";
import type { Ctx } from "./context";
import { hitRow } from "./hit-row";
import { type MeasuredCoverage, measureCoverage, type ReportedMinute } from "./measure-coverage";
import { requirePermission } from "./permission";
import { readCoverage } from "./read-coverage";
import { clientFigures, type TopClient } from "./report-clients";
import {
  type CountFigures,
  countFigures,
  NO_FIGURES,
  type ReportScope,
  type Worst,
  worstFiveMinutes,
} from "./report-figures";
import { type ReportRange, reportRange } from "./report-range";
import { reportedRule, shownRule } from "./reported-rule";
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
      plan: asked.plan ?? null,
      route: asked.route ?? null,
      client: asked.client ?? null,
    };
    const { plan, route, client } = scope;
    const counts = await countFigures(reader, scope);
    const clients = await clientFigures(reader, scope);
    const worst = await worstFiveMinutes(reader, scope);
    const { measured, minutes } = await coverageOf(reader, scope, nowMs);
    const { total } = counts;
    return {
      rule: id,
      mode,
      revision: asked.revision ?? rule.revision,
      from: instant(range.fromMs),
      to: instant(range.toMs),
      filter: { plan, route, client },
      basis: client === null ? "requests" : "hitMinutes",
      ...total,
      share: shareOf(total),
      clients: clients?.clients ?? null,
      clientsCapped: clients?.hasOther === true || measured.droppedClients > 0,
      byPlan: counts.byPlan.map((row) => ({
        ...row,
        clients: clients === null ? null : (clients.clientsByPlan.get(row.plan) ?? 0),
      })),
      topClients: await withPeaks(reader, { scope, clients: clients?.top ?? [], nowMs }),
      routes: counts.byRoute,
      stepSeconds: range.stepSeconds,
      series: seriesOf(range, counts, minutes),
      worst: worst === null ? null : worstOf(worst, range),
      resolution: {
        parts: [{ from: instant(range.fromMs), to: instant(range.toMs), level: "minute" }],
        worstFrom: instant(range.fromMs),
        notes: [],
      },
      marks: await marksOf(reader, range),
      samples: await samplesOf(reader, scope),
      coverage: judged({ measured, counts, bounds: rule.bounds }),
    };
  });
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function shareOf({ requests, rejections }: { requests: number; rejections: number }) {
  return requests === 0 ? null : rejections / requests;
}

const FIVE_MINUTES_MS = 300_000;

function worstOf({ fromMs, requests, rejections }: Worst, range: ReportRange): Report["worst"] {
  return {
    from: instant(Math.max(fromMs, range.fromMs)),
    to: instant(Math.min(fromMs + FIVE_MINUTES_MS, range.toMs)),
    requests,
    rejections,
    share: shareOf({ requests, rejections }),
  };
}

async function withPeaks(
  reader: Reader,
  { scope, clients, nowMs }: { scope: ReportScope; clients: readonly TopClient[]; nowMs: number },
): Promise<Report["topClients"]> {
  const { ruleId: id, revision, lane } = scope;
  const rule = await shownRule(reader, { id, revision, lane });
  const limitOf = await clientLimits(reader, { rule, clients, nowMs });
  return clients.map(({ peak, ...row }) => ({
    ...row,
    peak: row.client === OTHER_CLIENTS ? null : { perMinute: peak, limit: limitOf(row) },
  }));
}

async function coverageOf(reader: Reader, scope: ReportScope, nowMs: number) {
  const { ruleId, lane, mode, revision, fromMs, toMs } = scope;
  const interval = { fromMs, toMs, nowMs };
  const all = await ruleSpans(reader, { ruleId, fromMs, toMs, lane });
  const spans = all.filter(
    (span) => span.counted.includes(mode) && (revision === null || span.revision === revision),
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
  { ruleId, lane, mode, revision, plan, route, client, fromMs, toMs }: ReportScope,
): Promise<Report["samples"]> {
  const rows = await reader.hitSample.findMany({
    where: {
      ruleId,
      mode,
      lane,
      at: { gte: new Date(fromMs), lt: new Date(toMs) },
      ...(revision === null ? {} : { revision }),
      ...(plan === null ? {} : { plan }),
      ...(route === null ? {} : { route }),
      ...(client === null ? {} : { client }),
    },
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: SAMPLES,
  });
  return rows.map(hitRow);
}
