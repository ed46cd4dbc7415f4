import { z } from "zod";
import { OTHER_CLIENTS } from "@/lib/core/counts";
import type { Reader } from "@/lib/db/client";
import type { CandidateScope } from "./candidate-sums";

const TOP_CLIENTS = 50;

const count = z.number();
const HitsSchema = z.object({ newly: count, noLonger: count, both: count, enforced: count });
const TopSchema = HitsSchema.extend({ client: z.string(), plan: z.string(), requests: count });
/** Without a plan: of all. */
const PerPlanSchema = HitsSchema.extend({ plan: z.string().nullable() });
const AnswerSchema = z.object({
  top: z.array(TopSchema).nullable(),
  counts: z.array(PerPlanSchema).nullable(),
  hasOther: z.boolean(),
});

type Hits = z.output<typeof HitsSchema>;
export const NO_HITS: Hits = { newly: 0, noLonger: 0, both: 0, enforced: 0 };

type CandidateClients = {
  clients: Hits;
  byPlan: Map<string, Hits>;
  top: z.output<typeof TopSchema>[];
  /** Some were beyond a gateway's bound and are summed as `other`. */
  hasOther: boolean;
};

/** How many clients had a request that either revision refused, and whose answers change most. */
export async function candidateClients(
  reader: Reader,
  { ruleId, revision, fromMs, toMs }: CandidateScope,
): Promise<CandidateClients> {
  const rows = await reader.$queryRaw<unknown[]>`
    WITH lanes AS (
      SELECT client, plan, minute,
        sum(requests) FILTER (WHERE lane = 'candidate') AS tried, sum(requests) FILTER (WHERE lane = 'live') AS lived,
        sum(newly) FILTER (WHERE lane = 'candidate' AND mode = 'shadow') AS newly,
        sum(newly) FILTER (WHERE lane = 'live') AS no_longer,
        sum(rejections - newly) FILTER (WHERE lane = 'candidate' AND mode = 'shadow') AS both_refuse,
        sum(rejections) FILTER (WHERE lane = 'candidate' AND mode = 'enforce') AS enforced
      FROM client_minute
      WHERE rule_id = ${ruleId} AND minute >= ${new Date(fromMs)}::timestamptz
        AND minute < ${new Date(toMs)}::timestamptz
        AND ((lane = 'candidate' AND revision = ${revision}::int) OR (lane = 'live' AND mode = 'enforce'))
      GROUP BY client, plan, minute),
    summed AS (
      SELECT client, plan, sum(GREATEST(COALESCE(tried, 0), COALESCE(lived, 0)))::float8 AS requests,
        COALESCE(sum(newly), 0)::float8 AS newly, COALESCE(sum(no_longer), 0)::float8 AS "noLonger",
        COALESCE(sum(both_refuse), 0)::float8 AS "both", COALESCE(sum(enforced), 0)::float8 AS enforced
      FROM lanes GROUP BY client, plan),
    hit AS MATERIALIZED (
      SELECT * FROM summed WHERE newly + "noLonger" + "both" + enforced > 0),
    top AS (
      SELECT * FROM hit ORDER BY newly + "noLonger" DESC, enforced DESC, "both" DESC, client, plan LIMIT ${TOP_CLIENTS}::int),
    counts AS (
      SELECT plan, count(DISTINCT client) FILTER (WHERE newly > 0) AS newly,
        count(DISTINCT client) FILTER (WHERE "noLonger" > 0) AS "noLonger",
        count(DISTINCT client) FILTER (WHERE "both" > 0) AS "both",
        count(DISTINCT client) FILTER (WHERE enforced > 0) AS enforced
      FROM hit WHERE client <> ${OTHER_CLIENTS} GROUP BY GROUPING SETS ((plan), ()))
    SELECT (SELECT json_agg(top) FROM top) AS top, (SELECT json_agg(counts) FROM counts) AS counts,
      EXISTS (SELECT 1 FROM hit WHERE client = ${OTHER_CLIENTS}) AS "hasOther"`;
  const { top, counts, hasOther } = AnswerSchema.parse(rows[0]);
  const all = (counts ?? []).find(({ plan }) => plan === null);
  return {
    clients: hitsOf(all),
    byPlan: new Map(
      (counts ?? []).flatMap((row) =>
        row.plan === null ? [] : [[row.plan, hitsOf(row)] as const],
      ),
    ),
    top: top ?? [],
    hasOther,
  };
}

function hitsOf({ newly, noLonger, both, enforced }: Hits = NO_HITS): Hits {
  return { newly, noLonger, both, enforced };
}
