import type { CountedMode, Lane } from "@/lib/core/counts";
import { OTHER_CLIENTS } from "@/lib/core/counts";
import type { Reader } from "@/lib/db/client";
import type { ReportRange } from "./report-range";

export type ReportScope = ReportRange & {
  lane: Lane;
  ruleId: string;
  mode: CountedMode;
  /** Null: every revision. */
  revision: number | null;
};

/**
 * `rejections` is what a report is about: refusals in enforce; in shadow those of requests that passed today, as
 * that is what enforcing would add. `wouldReject` is all that the rule refuses in its own world.
 */
export type Figures = {
  requests: number;
  rejections: number;
  newly: number;
  wouldReject: number;
};

export const NO_FIGURES: Figures = { requests: 0, rejections: 0, newly: 0, wouldReject: 0 };

type Sums = { requests: number; rejections: number; newly: number };
type Row = Sums & { kept: number; plan: string | null; route: string | null; step: number | null };

export type CountFigures = {
  total: Figures;
  /** Of `total.wouldReject`, those that are in the hit log. */
  kept: number;
  byPlan: (Figures & { plan: string })[];
  byRoute: (Figures & { route: string })[];
  /** By the Unix second in which a step begins; steps without a count are absent. */
  bySecond: Map<number, Figures>;
};

/** Everything that minute counts tell, in one scan of the rule's range. */
export async function countFigures(reader: Reader, scope: ReportScope): Promise<CountFigures> {
  const { lane, ruleId, mode, revision, fromMs, toMs, stepSeconds } = scope;
  const rows = await reader.$queryRaw<Row[]>`
    WITH counted AS (
      SELECT plan, route, requests, rejections, newly, kept,
        (floor(extract(epoch FROM minute) / ${stepSeconds}::int) * ${stepSeconds}::int)::float8 AS step
      FROM count_minute
      WHERE rule_id = ${ruleId} AND minute >= ${new Date(fromMs)}::timestamptz
        AND minute < ${new Date(toMs)}::timestamptz AND mode = ${mode} AND lane = ${lane}
        AND (${revision}::int IS NULL OR revision = ${revision}::int))
    SELECT plan, route, step, sum(requests)::float8 AS requests, sum(rejections)::float8 AS rejections,
      sum(newly)::float8 AS newly, sum(kept)::float8 AS kept
    FROM counted GROUP BY GROUPING SETS ((plan), (route), (step))`;
  const figures = rows.map((row) => ({ ...row, ...figuresOf(row, mode) }));
  const byPlan = figures.flatMap(({ plan, ...row }) =>
    plan === null ? [] : [{ plan, ...pick(row) }],
  );
  return {
    total: byPlan.reduce<Figures>(add, NO_FIGURES),
    kept: rows.reduce((kept, row) => kept + (row.plan === null ? 0 : row.kept), 0),
    byPlan: byPlan.toSorted(byRejections),
    byRoute: figures
      .flatMap(({ route, ...row }) => (route === null ? [] : [{ route, ...pick(row) }]))
      .toSorted(byRejections),
    bySecond: new Map(
      figures.flatMap(({ step, ...row }) => (step === null ? [] : [[step, pick(row)] as const])),
    ),
  };
}

const TOP_CLIENTS = 20;

export type ClientFigures = {
  /** With a hit. */
  clients: number;
  clientsByPlan: Map<string, number>;
  top: (Figures & { client: string; plan: string })[];
  /** Some were beyond a gateway's bound and are summed as `other`. */
  hasOther: boolean;
};

/** Clients with a hit; their requests are those of minutes in which they had one. */
export async function clientFigures(reader: Reader, scope: ReportScope): Promise<ClientFigures> {
  const { lane, ruleId, mode, revision, fromMs, toMs } = scope;
  type ClientRow = Sums & {
    client: string;
    plan: string;
    clients: number;
    inPlan: number;
    others: number;
    place: number;
  };
  // One row per plan is kept beyond the top, for its number of clients.
  const rows = await reader.$queryRaw<ClientRow[]>`
    WITH hit AS (
      SELECT client, plan, sum(requests) AS requests, sum(rejections) AS rejections, sum(newly) AS newly
      FROM client_minute
      WHERE rule_id = ${ruleId} AND minute >= ${new Date(fromMs)}::timestamptz
        AND minute < ${new Date(toMs)}::timestamptz AND mode = ${mode} AND lane = ${lane}
        AND (${revision}::int IS NULL OR revision = ${revision}::int)
      GROUP BY client, plan
      HAVING sum(CASE WHEN ${mode} = 'shadow' THEN newly ELSE rejections END) > 0),
    ranked AS (
      SELECT *, row_number() OVER (ORDER BY CASE WHEN ${mode} = 'shadow' THEN newly ELSE rejections END DESC, client, plan) AS place,
        row_number() OVER (PARTITION BY plan ORDER BY client) AS "placeInPlan",
        count(*) FILTER (WHERE client <> ${OTHER_CLIENTS}) OVER (PARTITION BY plan) AS "inPlan"
      FROM hit)
    SELECT client, plan, requests::float8 AS requests, rejections::float8 AS rejections, newly::float8 AS newly,
      place::int AS place, "inPlan"::int AS "inPlan",
      (SELECT count(DISTINCT client) FROM hit WHERE client <> ${OTHER_CLIENTS})::int AS clients,
      (SELECT count(*) FROM hit WHERE client = ${OTHER_CLIENTS})::int AS others
    FROM ranked WHERE place <= ${TOP_CLIENTS} OR "placeInPlan" = 1 ORDER BY place`;
  return {
    clients: rows[0]?.clients ?? 0,
    clientsByPlan: new Map(rows.map(({ plan, inPlan }) => [plan, inPlan])),
    top: rows
      .filter(({ place }) => place <= TOP_CLIENTS)
      .map(({ client, plan, ...row }) => ({ client, plan, ...figuresOf(row, mode) })),
    hasOther: (rows[0]?.others ?? 0) > 0,
  };
}

export function figuresOf({ requests, rejections, newly }: Sums, mode: CountedMode): Figures {
  // Of an enforced lane `newly` is for its candidate's report.
  return mode === "shadow"
    ? { requests, rejections: newly, newly, wouldReject: rejections }
    : { requests, rejections, newly: 0, wouldReject: rejections };
}

function pick({ requests, rejections, newly, wouldReject }: Figures): Figures {
  return { requests, rejections, newly, wouldReject };
}

function add(a: Figures, b: Figures): Figures {
  return {
    requests: a.requests + b.requests,
    rejections: a.rejections + b.rejections,
    newly: a.newly + b.newly,
    wouldReject: a.wouldReject + b.wouldReject,
  };
}

function byRejections(a: Figures, b: Figures): number {
  return b.rejections - a.rejections || b.requests - a.requests;
}
