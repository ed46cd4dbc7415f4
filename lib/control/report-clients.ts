import { OTHER_CLIENTS } from "@/lib/core/counts";
import type { Reader } from "@/lib/db/client";
import { empty, sql } from "@/lib/db/sql";
import { type Figures, figuresOf, type ReportScope } from "./report-figures";

const TOP_CLIENTS = 20;

export type TopClient = Figures & {
  client: string;
  plan: string;
  /** Most requests in one minute in which it had a hit. */
  peak: number;
};

export type ClientFigures = {
  /** With a hit. */
  clients: number;
  clientsByPlan: Map<string, number>;
  top: TopClient[];
  /** Some were beyond a gateway's bound and are summed as `other`. */
  hasOther: boolean;
};

type Row = {
  client: string;
  plan: string;
  requests: number;
  rejections: number;
  newly: number;
  peak: number;
  clients: number;
  inPlan: number;
  others: number;
  place: number;
};

/** Clients with a hit; their requests are those of minutes in which they had one. Null: not counted by route. */
export async function clientFigures(
  reader: Reader,
  scope: ReportScope,
): Promise<ClientFigures | null> {
  const { lane, ruleId, mode, revision, plan, route, client, fromMs, toMs } = scope;
  if (route !== null) return null;
  const shown = mode === "shadow" ? sql`newly` : sql`rejections`;
  // One row per plan is kept beyond the top, for its number of clients.
  const rows = await reader.$queryRaw<Row[]>`
    WITH minutes AS (
      SELECT client, plan, sum(requests) AS requests, sum(rejections) AS rejections, sum(newly) AS newly
      FROM client_minute
      WHERE rule_id = ${ruleId} AND minute >= ${new Date(fromMs)}::timestamptz
        AND minute < ${new Date(toMs)}::timestamptz AND mode = ${mode} AND lane = ${lane}
        ${revision === null ? empty : sql`AND revision = ${revision}::int`}
        ${plan === null ? empty : sql`AND plan = ${plan}`}
        ${client === null ? empty : sql`AND client = ${client}`}
      GROUP BY client, plan, minute),
    hit AS (
      SELECT client, plan, sum(requests) AS requests, sum(rejections) AS rejections, sum(newly) AS newly,
        max(requests) AS peak
      FROM minutes GROUP BY client, plan HAVING sum(${shown}) > 0),
    ranked AS (
      SELECT *, row_number() OVER (ORDER BY ${shown} DESC, client, plan) AS place,
        row_number() OVER (PARTITION BY plan ORDER BY client) AS "placeInPlan",
        count(*) FILTER (WHERE client <> ${OTHER_CLIENTS}) OVER (PARTITION BY plan) AS "inPlan"
      FROM hit)
    SELECT client, plan, requests::float8 AS requests, rejections::float8 AS rejections, newly::float8 AS newly,
      peak::float8 AS peak, place::int AS place, "inPlan"::int AS "inPlan",
      (SELECT count(DISTINCT client) FROM hit WHERE client <> ${OTHER_CLIENTS})::int AS clients,
      (SELECT count(*) FROM hit WHERE client = ${OTHER_CLIENTS})::int AS others
    FROM ranked WHERE place <= ${TOP_CLIENTS} OR "placeInPlan" = 1 ORDER BY place`;
  return {
    clients: rows[0]?.clients ?? 0,
    clientsByPlan: new Map(rows.map(({ plan, inPlan }) => [plan, inPlan])),
    top: rows
      .filter(({ place }) => place <= TOP_CLIENTS)
      .map(({ client, plan, peak, ...row }) => ({ client, plan, peak, ...figuresOf(row, mode) })),
    hasOther: (rows[0]?.others ?? 0) > 0,
  };
}
