import type { CountedMode, Lane } from "@/lib/core/counts";
import type { Reader } from "@/lib/db/client";
import { empty, type Sql, sql } from "@/lib/db/sql";
import type { ReportRange } from "./report-range";

export type ReportScope = ReportRange & {
  lane: Lane;
  ruleId: string;
  mode: CountedMode;
  /** Null: every revision. */
  revision: number | null;
  /** Null: every one. */
  plan: string | null;
  route: string | null;
  /** Whose figures are those of minutes in which it had a hit, and have no route. */
  client: string | null;
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
  const { mode, stepSeconds } = scope;
  const rows = await reader.$queryRaw<Row[]>`
    WITH counted AS (
      SELECT plan, route, requests, rejections, newly, kept,
        (floor(extract(epoch FROM minute) / ${stepSeconds}::int) * ${stepSeconds}::int)::float8 AS step
      FROM ${minutesOf(scope)})
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

const FIVE_MINUTES = 300;

export type Worst = { fromMs: number } & Figures;

/** The 5-minute step of the clock with most rejections, the earliest of equal ones; null when none had any. */
export async function worstFiveMinutes(reader: Reader, scope: ReportScope): Promise<Worst | null> {
  const shown = scope.mode === "shadow" ? sql`newly` : sql`rejections`;
  const [row] = await reader.$queryRaw<(Sums & { step: number })[]>`
    WITH counted AS (
      SELECT requests, rejections, newly,
        (floor(extract(epoch FROM minute) / ${FIVE_MINUTES}::int) * ${FIVE_MINUTES}::int)::float8 AS step
      FROM ${minutesOf(scope)})
    SELECT step, sum(requests)::float8 AS requests, sum(rejections)::float8 AS rejections,
      sum(newly)::float8 AS newly
    FROM counted GROUP BY step HAVING sum(${shown}) > 0 ORDER BY sum(${shown}) DESC, step LIMIT 1`;
  return row === undefined ? null : { fromMs: row.step * 1000, ...figuresOf(row, scope.mode) };
}

/** What was counted in the scope; of a client, without routes and without what the log kept. */
function minutesOf(scope: ReportScope): Sql {
  const { lane, ruleId, mode, revision, plan, route, client, fromMs, toMs } = scope;
  const where = sql`rule_id = ${ruleId} AND minute >= ${new Date(fromMs)}::timestamptz
    AND minute < ${new Date(toMs)}::timestamptz AND mode = ${mode} AND lane = ${lane}
    ${revision === null ? empty : sql`AND revision = ${revision}::int`}
    ${plan === null ? empty : sql`AND plan = ${plan}`}`;
  if (client !== null)
    return sql`(SELECT minute, plan, NULL AS route, requests, rejections, newly, 0 AS kept
      FROM client_minute WHERE client = ${client} AND ${where}) minutes`;
  return sql`(SELECT minute, plan, route, requests, rejections, newly, kept
    FROM count_minute WHERE ${where}
    ${route === null ? empty : sql`AND route = ${route}`}) minutes`;
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
