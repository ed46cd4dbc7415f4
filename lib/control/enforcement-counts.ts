import type { Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import type { Counted, Predicted } from "./enforcement-columns";
import { revisionsLike } from "./rule-spans";

/** As far back as a blast radius looks. */
const PREDICTED_MS = 86_400_000;

type PlanRow = Counted["byPlan"][number];

export type Wanted = { id: string; ruleId: string; revisions: readonly number[]; sinceMs: number };

/**
 * What revisions of rules refused in mode enforce, in any lane, from the minute of `sinceMs` on: by `id`, one scan for
 * all. Nothing counted is absent.
 */
export async function countAllEnforced(
  reader: Reader,
  wanted: readonly Wanted[],
): Promise<Map<string, Counted>> {
  if (wanted.length === 0) return new Map();
  const asked = JSON.stringify(
    wanted.map(({ sinceMs, ...each }) => ({ ...each, since: new Date(sinceMs).toISOString() })),
  );
  const rows = await reader.$queryRaw<(PlanRow & { id: string })[]>`
    SELECT w.id, c.plan, sum(c.requests)::float8 AS requests, sum(c.rejections)::float8 AS rejections
    FROM jsonb_to_recordset(${asked}::jsonb) AS w(id text, "ruleId" text, revisions jsonb, since timestamptz)
    CROSS JOIN LATERAL (
      SELECT plan, requests, rejections FROM count_minute
      WHERE rule_id = w."ruleId" AND minute >= date_trunc('minute', w.since) AND mode = 'enforce'
        AND w.revisions @> to_jsonb(revision)) c
    GROUP BY w.id, c.plan ORDER BY c.plan`;
  const byId = new Map<string, PlanRow[]>();
  for (const { id, ...row } of rows) byId.set(id, [...(byId.get(id) ?? []), row]);
  return new Map([...byId].map(([id, plans]) => [id, totalled(plans)]));
}

export async function countEnforced(reader: Reader, wanted: Omit<Wanted, "id">): Promise<Counted> {
  const counted = await countAllEnforced(reader, [{ ...wanted, id: "" }]);
  return counted.get("") ?? NOTHING;
}

export const NOTHING: Counted = { requests: 0, rejections: 0, byPlan: [] };

type ShadowRow = PlanRow & { ruleId: string; revision: number; first: Date };

/**
 * What shadow counted in the last 24 h of rules that decide as these do, by rule id; absent where it counted nothing. All
 * that they refuse in their own world, also what another rule refused anyway: enforced rules are counted so, too.
 */
export async function predictAllRejections(
  reader: Reader,
  { rules, nowMs }: { rules: readonly Rule[]; nowMs: number },
): Promise<Map<string, Predicted>> {
  if (rules.length === 0) return new Map();
  const from = new Date(nowMs - PREDICTED_MS);
  const rows = await reader.$queryRaw<ShadowRow[]>`
    SELECT rule_id AS "ruleId", revision, plan, sum(requests)::float8 AS requests,
      sum(rejections)::float8 AS rejections, min(minute) AS first
    FROM count_minute
    WHERE rule_id = ANY(${[...new Set(rules.map(({ id }) => id))]}::text[])
      AND minute >= date_trunc('minute', ${from}::timestamptz) AND mode = 'shadow'
    GROUP BY rule_id, revision, plan ORDER BY plan`;
  const counted = new Set(rows.map(({ ruleId }) => ruleId));
  const like = new Set<string>();
  for (const rule of rules) {
    if (!counted.has(rule.id)) continue;
    for (const revision of await revisionsLike(reader, rule)) like.add(`${rule.id} ${revision}`);
  }
  const predicted = new Map<string, Predicted>();
  for (const ruleId of counted) {
    const own = rows.filter(
      (row) => row.ruleId === ruleId && like.has(`${ruleId} ${row.revision}`),
    );
    const sums = totalled(own);
    if (sums.requests === 0) continue;
    const firstMs = Math.min(...own.map(({ first }) => first.getTime()));
    predicted.set(ruleId, {
      ...sums,
      from: new Date(firstMs).toISOString(),
      to: new Date(nowMs).toISOString(),
    });
  }
  return predicted;
}

/** Of one rule, as its live revision, its candidate or both would be; null when shadow counted nothing. */
export async function predictRejections(
  reader: Reader,
  { rules, nowMs }: { rules: readonly Rule[]; nowMs: number },
): Promise<Predicted | null> {
  const [first] = rules;
  const predicted = await predictAllRejections(reader, { rules, nowMs });
  return first === undefined ? null : (predicted.get(first.id) ?? null);
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

/** One row a plan, without those that counted nothing. */
function totalled(rows: readonly PlanRow[]): Counted {
  const plans = new Map<string, PlanRow>();
  for (const { plan, requests, rejections } of rows) {
    const held = plans.get(plan) ?? { plan, requests: 0, rejections: 0 };
    plans.set(plan, {
      plan,
      requests: held.requests + requests,
      rejections: held.rejections + rejections,
    });
  }
  const byPlan = [...plans.values()].filter((row) => row.requests > 0 || row.rejections > 0);
  const sum = (of: "requests" | "rejections") => byPlan.reduce((all, row) => all + row[of], 0);
  return { requests: sum("requests"), rejections: sum("rejections"), byPlan };
}
