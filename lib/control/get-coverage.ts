import type { EvidenceCoverage } from "@/lib/core/evidence";
import type { Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import { type MeasuredCoverage, measureCoverage } from "./measure-coverage";
import { readCoverage } from "./read-coverage";
import { type RuleSpan, revisionsLike, ruleSpans } from "./rule-spans";

/** How far back evidence is looked for: as far as a report shows by default. */
const EVIDENCE_MS = 86_400_000;

type Wanted = {
  /** The rule as it would be enforced. */
  rule: Rule;
  nowMs: number;
  /** Of the same interval, where several rules are asked for: the fleet's minutes are many. */
  reported?: Reported;
};

type Reported = Awaited<ReturnType<typeof readCoverage>>;

/** What the fleet reported while evidence is looked for. */
export function evidenceReports(reader: Reader, nowMs: number): Promise<Reported> {
  return readCoverage(reader, { fromMs: nowMs - EVIDENCE_MS, toMs: nowMs, nowMs });
}

export type RuleCoverage = EvidenceCoverage & {
  /** Revisions whose counts are evidence for the rule. */
  revisions: number[];
  measured: MeasuredCoverage;
};

/**
 * What shadow has shown of a rule, for `judgeEvidence`. Only revisions that decide as the rule does count: equal
 * but for name, description, mode and meta (`revisionsLike`). Their slot may be shared with other revisions whose
 * limit is another; what those counted is left out.
 */
export async function getCoverage(
  reader: Reader,
  { rule, nowMs, reported }: Wanted,
): Promise<RuleCoverage> {
  const revisions = await revisionsLike(reader, rule);
  const fromMs = nowMs - EVIDENCE_MS;
  const spans = await evidenceSpans(reader, { rule, revisions, fromMs, toMs: nowMs });
  const measured = measureCoverage({
    ...(reported ?? (await evidenceReports(reader, nowMs))),
    fromMs,
    toMs: nowMs,
    nowMs,
    spans,
  });
  return {
    seconds: measured.seconds,
    requests: await evidenceRequests(reader, { rule, revisions, fromMs }),
    gatewaysLive: measured.gateways,
    gatewaysReporting: measured.reporting,
    droppedShare: measured.droppedShare,
    revisions,
    measured,
  };
}

type Counting = { rule: Rule; revisions: number[]; fromMs: number };

async function evidenceSpans(
  reader: Reader,
  { rule, revisions, fromMs, toMs }: Counting & { toMs: number },
): Promise<RuleSpan[]> {
  // Of what never was, as each rule of a first import, nothing is asked: a thousand of them are one publish.
  if (revisions.length === 0) return [];
  const range = { ruleId: rule.id, fromMs, toMs };
  const lived = await ruleSpans(reader, range);
  const tried = await ruleSpans(reader, { ...range, lane: "candidate" });
  // A candidate tells as much of its rule, in shadow and, for its share, enforced.
  return [...lived.filter(({ mode }) => mode === "shadow"), ...tried]
    .filter(({ revision }) => revisions.includes(revision))
    .toSorted((a, b) => a.fromMs - b.fromMs);
}

async function evidenceRequests(
  reader: Reader,
  { rule, revisions, fromMs }: Counting,
): Promise<number> {
  if (revisions.length === 0) return 0;
  const [row] = await reader.$queryRaw<{ requests: number | null }[]>`
    SELECT sum(requests)::float8 AS requests FROM count_minute
    WHERE rule_id = ${rule.id} AND minute >= date_trunc('minute', ${new Date(fromMs)}::timestamptz)
      AND (mode = 'shadow' OR lane = 'candidate') AND revision = ANY(${revisions}::int[])`;
  return row?.requests ?? 0;
}
