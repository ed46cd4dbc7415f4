import {
  type CandidateFigures,
  candidateFigures,
  type LaneSums,
} from "@/lib/core/candidate-figures";
import type { Reader } from "@/lib/db/client";

export type CandidateScope = {
  ruleId: string;
  /** Of the candidate; the live one may have changed beside it. */
  revision: number;
  /** Starts of minutes. */
  fromMs: number;
  toMs: number;
};

type PlanSums = LaneSums & { plan: string; kept: number };

type CandidateSums = {
  byPlan: Map<string, CandidateFigures>;
  total: CandidateFigures;
  /** Of what the candidate refuses, how much there is and how much of it is in the hit log. */
  hits: { seen: number; kept: number };
};

/** Both lanes of a rule since a candidate is tried beside it. */
export async function candidateSums(
  reader: Reader,
  { ruleId, revision, fromMs, toMs }: CandidateScope,
): Promise<CandidateSums> {
  const rows = await reader.$queryRaw<PlanSums[]>`
    SELECT plan, lane, mode, sum(requests)::float8 AS requests, sum(rejections)::float8 AS rejections,
      sum(newly)::float8 AS newly, sum(kept)::float8 AS kept
    FROM count_minute
    WHERE rule_id = ${ruleId} AND minute >= ${new Date(fromMs)}::timestamptz
      AND minute < ${new Date(toMs)}::timestamptz
      AND ((lane = 'candidate' AND revision = ${revision}::int) OR (lane = 'live' AND mode = 'enforce' AND newly > 0))
    GROUP BY plan, lane, mode`;
  const plans = [...new Set(rows.map(({ plan }) => plan))];
  const tried = rows.filter(({ lane }) => lane === "candidate");
  return {
    byPlan: new Map(
      plans.map((plan) => [plan, candidateFigures(rows.filter((row) => row.plan === plan))]),
    ),
    total: candidateFigures(rows),
    hits: {
      seen: tried.reduce((sum, { rejections }) => sum + rejections, 0),
      kept: tried.reduce((sum, { kept }) => sum + kept, 0),
    },
  };
}
