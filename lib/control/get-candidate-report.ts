import type { z } from "zod";
import { type CandidateReport, CandidateReportQuerySchema } from "@/lib/core/api/candidate";
import type { Coverage } from "@/lib/core/api/report";
import { AppError } from "@/lib/core/errors";
import { judgeEvidence } from "@/lib/core/evidence";
import { parseInput } from "@/lib/core/parse";
import type { Rule } from "@/lib/core/rule";
import type { Settings } from "@/lib/core/ruleset";
import { inSnapshot, type Reader } from "@/lib/db/client";
import { candidateRun } from "@/lib/db/rule-history";
import { candidateClients, NO_HITS } from "./candidate-clients";
import { type CandidateScope, candidateSums } from "./candidate-sums";
import type { Ctx } from "./context";
import { COUNTS_KEPT_MS } from "./counts-kept";
import { getCoverage } from "./get-coverage";
import { getLive } from "./live-version";
import { measureCoverage } from "./measure-coverage";
import { requirePermission } from "./permission";
import { readCoverage } from "./read-coverage";
import { reportRange } from "./report-range";
import { ruleSpans } from "./rule-spans";
import { sampledShare } from "./sampled-share";

const MINUTE_MS = 60_000;
/** Counts of minutes are kept for certain. */
const DEFAULT_MAX_MS = COUNTS_KEPT_MS.minutes;

/** What would change if the candidate took the live revision's place: all of one moment of the database. */
export async function getCandidateReport(
  ctx: Ctx,
  { id, ...query }: { id: string } & z.input<typeof CandidateReportQuerySchema>,
): Promise<CandidateReport> {
  requirePermission(ctx, "read");
  const asked = parseInput(CandidateReportQuerySchema, query, "the report's query");
  const nowMs = ctx.clock.nowMs();
  return inSnapshot(ctx.db, async (reader) => {
    const { version, body } = await getLive(reader);
    const entry = body.rules.find((rule) => rule.id === id);
    const { live, candidate } = entry ?? {};
    if (live === undefined || candidate === undefined)
      throw new AppError(
        "not_found",
        live === undefined
          ? `there is no rule ${id} in the live version ${version}`
          : `rule ${id} has no candidate in the live version ${version}`,
      );
    const run = await candidateRun(reader, { ruleId: id, version });
    if (run === null) throw new AppError("internal", `no version holds the candidate of ${id}`);
    const sinceMs = run.at.getTime();
    // What the live lane counts does not say beside which candidate: the minute of a change is left out.
    const firstMs = run.isReplacement
      ? Math.ceil(sinceMs / MINUTE_MS) * MINUTE_MS
      : Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS;
    const range = reportRange(
      {
        from:
          asked.from ??
          new Date(Math.max(Math.min(sinceMs, nowMs - 1), nowMs - DEFAULT_MAX_MS)).toISOString(),
        to: asked.to,
      },
      nowMs,
    );
    const { revision, rule } = candidate;
    const fromMs = Math.min(range.toMs, Math.max(range.fromMs, firstMs));
    const scope = { ruleId: id, revision, fromMs, toMs: range.toMs };
    const sums = await candidateSums(reader, scope);
    const clients = await candidateClients(reader, scope);
    const coverage = await coverageOf(reader, {
      ...scope,
      rule,
      nowMs,
      hits: sums.hits,
      bounds: body.settings.evidence,
    });
    return {
      rule: id,
      revision,
      liveRevision: live.revision,
      share: entry?.share ?? 0,
      since: run.at.toISOString(),
      from: new Date(fromMs).toISOString(),
      to: new Date(range.toMs).toISOString(),
      ...sums.total,
      clients: clients.clients,
      clientsCapped: clients.hasOther || coverage.droppedClients > 0,
      byPlan: [...sums.byPlan]
        .map(([plan, figures]) => ({
          plan,
          ...figures,
          clients: clients.byPlan.get(plan) ?? NO_HITS,
        }))
        .toSorted(
          (a, b) => b.newly - a.newly || b.noLonger - a.noLonger || b.requests - a.requests,
        ),
      topClients: clients.top,
      coverage: coverage.shown,
      evidence: coverage.evidence,
    };
  });
}

type CoverageScope = CandidateScope & {
  rule: Rule;
  nowMs: number;
  hits: { seen: number; kept: number };
  bounds: Settings["evidence"];
};

/** Gateways and losses of the interval; whether it is enough is judged as promoting it would be, of the last day. */
async function coverageOf(
  reader: Reader,
  { rule, ruleId, revision, fromMs, toMs, nowMs, hits, bounds }: CoverageScope,
): Promise<{ shown: Coverage; evidence: CandidateReport["evidence"]; droppedClients: number }> {
  const interval = { fromMs, toMs, nowMs };
  const spans = await ruleSpans(reader, { ruleId, fromMs, toMs, lane: "candidate" });
  const measured = measureCoverage({
    ...interval,
    ...(await readCoverage(reader, interval)),
    spans: spans.filter((span) => span.revision === revision),
  });
  const known = await getCoverage(reader, { rule, nowMs });
  const { enough, why } = judgeEvidence(bounds, known);
  const { seconds, gateways, reporting, dropped, droppedShare, droppedClients, perGateway } =
    measured;
  const { lastReportMs } = measured;
  return {
    droppedClients,
    evidence: {
      ...{ enough, why, bounds },
      seconds: known.seconds,
      requests: known.requests,
      gateways: known.gatewaysLive,
      reporting: known.gatewaysReporting,
      droppedShare: known.droppedShare,
    },
    shown: {
      ...{ gateways, reporting, dropped, droppedShare, seconds, perGateway, enough, why, bounds },
      sampling: sampledShare(hits.kept, hits.seen),
      lastReportAt: lastReportMs === null ? null : new Date(lastReportMs).toISOString(),
    },
  };
}
