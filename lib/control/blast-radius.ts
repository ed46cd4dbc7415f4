import type { BlastRadius } from "@/lib/core/api/publish";
import { OTHER_CLIENTS } from "@/lib/core/counts";
import type { Rule } from "@/lib/core/rule";
import type { Settings } from "@/lib/core/ruleset";
import type { Reader } from "@/lib/db/client";
import { revisionsLike } from "./rule-spans";

const RADIUS_MS = 86_400_000;
const TOP_CLIENTS = 5;

type Wanted = {
  /** The rule as it would be enforced. */
  rule: Rule;
  bounds: Settings["confirmAbove"];
  nowMs: number;
};

const NOBODY = {
  requests: 0,
  rejections: 0,
  clients: 0,
  clientsCapped: false,
  byPlan: [],
  topClients: [],
  above: [],
};

type PlanRow = { plan: string; requests: number; rejections: number };
type ClientRow = PlanRow & { client: string };

/**
 * Whom a rule would have hit in the last 24 h: by what revisions that decide as it does counted in shadow, live or
 * as candidates, of requests that passed. Nothing counted is no radius; that is for the evidence to tell.
 */
export async function blastRadius(
  reader: Reader,
  { rule, bounds, nowMs }: Wanted,
): Promise<BlastRadius> {
  const revisions = await revisionsLike(reader, rule);
  if (revisions.length === 0) return { rule: rule.id, ...NOBODY };
  const from = new Date(nowMs - RADIUS_MS);
  const plans = await reader.$queryRaw<PlanRow[]>`
    SELECT plan, sum(requests)::float8 AS requests, sum(newly)::float8 AS rejections FROM count_minute
    WHERE rule_id = ${rule.id} AND minute >= date_trunc('minute', ${from}::timestamptz)
      AND mode = 'shadow' AND revision = ANY(${revisions}::int[])
    GROUP BY plan ORDER BY rejections DESC, plan`;
  type Ranked = ClientRow & { inPlan: number; clients: number; others: number; place: number };
  const clients = await reader.$queryRaw<Ranked[]>`
    WITH hit AS (
      SELECT client, plan, sum(requests)::float8 AS requests, sum(newly)::float8 AS rejections
      FROM client_minute
      WHERE rule_id = ${rule.id} AND minute >= date_trunc('minute', ${from}::timestamptz)
        AND mode = 'shadow' AND revision = ANY(${revisions}::int[])
      GROUP BY client, plan HAVING sum(newly) > 0),
    ranked AS (
      SELECT *, row_number() OVER (ORDER BY rejections DESC, client, plan)::int AS place,
        row_number() OVER (PARTITION BY plan ORDER BY client) AS "placeInPlan",
        (count(*) FILTER (WHERE client <> ${OTHER_CLIENTS}) OVER (PARTITION BY plan))::int AS "inPlan"
      FROM hit)
    SELECT client, plan, requests, rejections, place, "inPlan",
      (SELECT count(DISTINCT client) FROM hit WHERE client <> ${OTHER_CLIENTS})::int AS clients,
      (SELECT count(*) FROM hit WHERE client = ${OTHER_CLIENTS})::int AS others
    FROM ranked WHERE place <= ${TOP_CLIENTS} OR "placeInPlan" = 1 ORDER BY place`;
  const inPlan = new Map(clients.map((row) => [row.plan, row.inPlan]));
  const sum = (of: "requests" | "rejections") => plans.reduce((all, row) => all + row[of], 0);
  const counted = {
    requests: sum("requests"),
    rejections: sum("rejections"),
    clients: clients[0]?.clients ?? 0,
    clientsCapped: (clients[0]?.others ?? 0) > 0,
  };
  return {
    rule: rule.id,
    ...counted,
    byPlan: plans
      .filter(({ rejections }) => rejections > 0)
      .map(({ plan, rejections }) => ({ plan, rejections, clients: inPlan.get(plan) ?? 0 })),
    topClients: clients
      .filter(({ place }) => place <= TOP_CLIENTS)
      .map(({ client, plan, requests, rejections }) => ({ client, plan, requests, rejections })),
    above: aboveBounds(bounds, counted),
  };
}

type Counted = Pick<BlastRadius, "requests" | "rejections" | "clients" | "clientsCapped">;

function aboveBounds(bounds: Settings["confirmAbove"], counted: Counted): string[] {
  const { requests, rejections, clients, clientsCapped } = counted;
  const above: string[] = [];
  if (clients > bounds.clients || clientsCapped)
    above.push(
      `requests of ${clientsCapped ? "more than " : ""}${clients} clients (above ${bounds.clients})`,
    );
  if (requests > 0 && rejections / requests > bounds.share)
    above.push(
      `${percent(rejections / requests)} of what it matches (above ${percent(bounds.share)})`,
    );
  return above;
}

/** Up to two decimals, rounded up, so that what is over a bound never reads as the bound. */
function percent(share: number): string {
  return `${Math.ceil(share * 10_000 - 1e-6) / 100} %`;
}
