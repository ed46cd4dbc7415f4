import type { Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import type { Counted, Predicted } from "./enforcement-columns";
import { revisionsLike } from "./rule-spans";

/** As far back as a blast radius looks. */
const PREDICTED_MS = 86_400_000;

type PlanRow = Counted["byPlan"][number];

/** What revisions of a rule refused in mode enforce, in any lane, from the minute of `sinceMs` on. */
export async function countEnforced(
  reader: Reader,
  { ruleId, revisions, sinceMs }: { ruleId: string; revisions: readonly number[]; sinceMs: number },
): Promise<Counted> {
  const rows = await reader.$queryRaw<PlanRow[]>`
    SELECT plan, sum(requests)::float8 AS requests, sum(rejections)::float8 AS rejections
    FROM count_minute
    WHERE rule_id = ${ruleId} AND minute >= date_trunc('minute', ${new Date(sinceMs)}::timestamptz)
      AND mode = 'enforce' AND revision = ANY(${[...revisions]}::int[])
    GROUP BY plan ORDER BY plan`;
  return totalled(rows);
}

/**
 * What shadow counted of rules that decide so in the last 24 h; null when it counted nothing. All that they refuse in
 * their own world, also what another rule refused anyway: enforced rules are counted so, too.
 */
export async function predictRejections(
  reader: Reader,
  { rules, nowMs }: { rules: readonly Rule[]; nowMs: number },
): Promise<Predicted | null> {
  const [first] = rules;
  if (first === undefined) return null;
  const revisions = (await Promise.all(rules.map((rule) => revisionsLike(reader, rule)))).flat();
  const from = new Date(nowMs - PREDICTED_MS);
  const rows = await reader.$queryRaw<(PlanRow & { first: Date })[]>`
    SELECT plan, sum(requests)::float8 AS requests, sum(rejections)::float8 AS rejections,
      min(minute) AS first
    FROM count_minute
    WHERE rule_id = ${first.id} AND minute >= date_trunc('minute', ${from}::timestamptz)
      AND mode = 'shadow' AND revision = ANY(${revisions}::int[])
    GROUP BY plan ORDER BY plan`;
  const counted = totalled(rows.map(({ first: _, ...row }) => row));
  if (counted.requests === 0) return null;
  const firstMs = Math.min(...rows.map((row) => row.first.getTime()));
  return {
    ...counted,
    from: new Date(firstMs).toISOString(),
    to: new Date(nowMs).toISOString(),
  };
}

/** What came after `base`; counts older than it may have been forgotten since. */
export function countedAfter(all: Counted, base: Counted): Counted {
  const before = new Map(base.byPlan.map((row) => [row.plan, row]));
  return totalled(
    all.byPlan.map(({ plan, requests, rejections }) => ({
      plan,
      requests: Math.max(0, requests - (before.get(plan)?.requests ?? 0)),
      rejections: Math.max(0, rejections - (before.get(plan)?.rejections ?? 0)),
    })),
  );
}

function totalled(rows: PlanRow[]): Counted {
  const byPlan = rows.filter(({ requests, rejections }) => requests > 0 || rejections > 0);
  const sum = (of: "requests" | "rejections") => byPlan.reduce((all, row) => all + row[of], 0);
  return { requests: sum("requests"), rejections: sum("rejections"), byPlan };
}
