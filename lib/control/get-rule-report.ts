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
import { type CoverageInput, type MeasuredCoverage, measureCoverage } from "./measure-coverage";
import { requirePermission } from "./permission";
import { readCoverage } from "./read-coverage";
import { clientFigures, type TopClient } from "./report-clients";
import { type CountFigures, countFigures, countRequests, NO_FIGURES } from "./report-figures";
import { type ReportParts, reportParts } from "./report-parts";
import type { ReportScope } from "./report-rows";
import { FIVE_MINUTES_MS, type Worst, worstFiveMinutes, worstOfSteps } from "./report-worst";
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
  const parts = reportParts(asked, nowMs);
  return inSnapshot(ctx.db, async (reader) => {
    const rule = await reportedRule(reader, id);
    const mode = asked.mode ?? rule.mode;
    const scope: ReportScope = {
      ruleId: id,
      lane,
      mode,
      revision: asked.revision ?? null,
      plan: asked.plan ?? null,
      route: asked.route ?? null,
      client: asked.client ?? null,
    };
    const { plan, route, client } = scope;
    const isFiltered = plan !== null || route !== null || client !== null;
    const counts = await countFigures(reader, scope, parts);
    const { total } = counts;
    const matched = isFiltered ? await countRequests(reader, scope, parts) : total.requests;
    const kept = client === null ? counts.kept : await countHits(reader, scope, parts);
    const clients = await clientFigures(reader, scope, parts.clients);
    const searched = client === null ? parts.worst : parts.worstOfClient;
    const isKnown = parts.stepSeconds <= 300;
    const worst = isKnown
      ? worstOfSteps(counts.bySecond)
      : await worstFiveMinutes(reader, scope, searched);
    const { measured, reported } = await coverageOf(reader, scope, { ...parts, nowMs });
    return {
      rule: id,
      mode,
      revision: asked.revision ?? rule.revision,
      from: instant(parts.fromMs),
      to: instant(parts.toMs),
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
      stepSeconds: parts.stepSeconds,
      series: seriesOf(parts, counts, reported),
      worst: worst === null ? null : worstOf(worst, parts),
      resolution: {
        parts: parts.counts.map(({ level, fromMs, toMs }) => ({
          from: instant(fromMs),
          to: instant(toMs),
          level,
        })),
        worstFrom: searched[0] === undefined ? null : instant(searched[0].fromMs),
        notes: parts.notes,
      },
      marks: await marksOf(reader, parts),
      samples: await samplesOf(reader, scope, parts),
      coverage: judged({
        measured,
        matched,
        sampling: sampledShare(kept, total.wouldReject),
        bounds: rule.bounds,
      }),
    };
  });
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function shareOf({ requests, rejections }: { requests: number; rejections: number }) {
  return requests === 0 ? null : rejections / requests;
}

type Range = Pick<ReportParts, "fromMs" | "toMs">;

function worstOf({ fromMs, requests, rejections }: Worst, range: Range): Report["worst"] {
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

async function coverageOf(
  reader: Reader,
  { ruleId, lane, mode, revision }: ReportScope,
  { fromMs, toMs, nowMs }: Range & { nowMs: number },
) {
  const interval = { fromMs, toMs, nowMs };
  const all = await ruleSpans(reader, { ruleId, fromMs, toMs, lane });
  const spans = all.filter(
    (span) => span.counted.includes(mode) && (revision === null || span.revision === revision),
  );
  const reported = await readCoverage(reader, interval);
  return { measured: measureCoverage({ ...interval, spans, ...reported }), reported };
}

type Judged = {
  measured: MeasuredCoverage;
  /** Requests of the rule, not only those that the report is filtered to. */
  matched: number;
  sampling: number;
  bounds: Settings["evidence"];
};

function judged({ measured, matched, sampling, bounds }: Judged): Coverage {
  const { seconds, gateways, reporting, dropped, droppedShare, perGateway } = measured;
  const { enough, why } = judgeEvidence(bounds, {
    seconds,
    requests: matched,
    gatewaysLive: gateways,
    gatewaysReporting: reporting,
    droppedShare,
  });
  const { lastReportMs } = measured;
  return {
    gateways,
    reporting,
    sampling,
    dropped,
    droppedShare,
    seconds,
    enough,
    why,
    bounds,
    perGateway,
    lastReportAt: lastReportMs === null ? null : instant(lastReportMs),
  };
}

/** Zero where gateways reported and the rule counted nothing; `reported: false` where nobody did. */
function seriesOf(
  { fromMs, toMs, stepSeconds }: ReportParts,
  { bySecond }: CountFigures,
  { minutes, hours = [] }: Pick<CoverageInput, "minutes" | "hours">,
): Report["series"] {
  const stepOf = (second: number) => Math.floor(second / stepSeconds) * stepSeconds;
  const reported = new Set([
    ...minutes.map(({ minute }) => stepOf(minute * 60)),
    ...hours.map(({ hour }) => stepOf(hour * 3600)),
  ]);
  const series: Report["series"] = [];
  for (let second = stepOf(fromMs / 1000); second * 1000 < toMs; second += stepSeconds) {
    series.push({
      t: instant(second * 1000),
      ...(bySecond.get(second) ?? NO_FIGURES),
      reported: reported.has(second),
    });
  }
  return series;
}

async function marksOf(reader: Reader, { fromMs, toMs }: Range): Promise<Report["marks"]> {
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
  scope: ReportScope,
  range: Range,
): Promise<Report["samples"]> {
  const rows = await reader.hitSample.findMany({
    where: hitsOf(scope, range),
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: SAMPLES,
  });
  return rows.map(hitRow);
}

/** Hits of the scope that are in the log. */
function countHits(reader: Reader, scope: ReportScope, range: Range): Promise<number> {
  return reader.hitSample.count({ where: hitsOf(scope, range) });
}

function hitsOf(
  { ruleId, lane, mode, revision, plan, route, client }: ReportScope,
  { fromMs, toMs }: Range,
) {
  return {
    ...{ ruleId, mode, lane },
    at: { gte: new Date(fromMs), lt: new Date(toMs) },
    ...(revision === null ? {} : { revision }),
    ...(plan === null ? {} : { plan }),
    ...(route === null ? {} : { route }),
    ...(client === null ? {} : { client }),
  };
}
