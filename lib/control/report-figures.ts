import type { CountedMode } from "@/lib/core/counts";
import type { Reader } from "@/lib/db/client";
import type { ReportParts } from "./report-parts";
import { countRows, type ReportScope } from "./report-rows";

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

export type Sums = { requests: number; rejections: number; newly: number };
type Row = Sums & { kept: number; plan: string | null; route: string | null; step: number | null };

export type CountFigures = {
  total: Figures;
  /** Of `total.wouldReject`, those that went into the hit log. */
  kept: number;
  byPlan: (Figures & { plan: string })[];
  byRoute: (Figures & { route: string })[];
  /** By the Unix second in which a step begins; steps without a count are absent. */
  bySecond: Map<number, Figures>;
};

/** Everything that counts tell, in one scan of the rule's range. */
export async function countFigures(
  reader: Reader,
  scope: ReportScope,
  { counts, stepSeconds }: Pick<ReportParts, "counts" | "stepSeconds">,
): Promise<CountFigures> {
  const { mode } = scope;
  const rows = await reader.$queryRaw<Row[]>`
    WITH steps AS (
      SELECT plan, route, requests::float8 AS requests, rejections::float8 AS rejections, newly::float8 AS newly,
        kept::float8 AS kept,
        floor(extract(epoch FROM at)::float8 / ${stepSeconds}::int) * ${stepSeconds}::int AS step
      FROM ${countRows(scope, counts)})
    SELECT plan, route, step, sum(requests) AS requests, sum(rejections) AS rejections, sum(newly) AS newly,
      sum(kept) AS kept
    FROM steps GROUP BY GROUPING SETS ((plan), (route), (step))`;
  const figures = rows.map((row) => ({ ...row, ...figuresOf(row, mode) }));
  const byPlan = figures.flatMap(({ plan, ...row }) =>
    plan === null ? [] : [{ plan, ...pick(row) }],
  );
  return {
    total: byPlan.reduce<Figures>(addFigures, NO_FIGURES),
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

/** Requests that the rule matched, whatever the report's filters. */
export async function countRequests(
  reader: Reader,
  scope: ReportScope,
  { counts }: Pick<ReportParts, "counts">,
): Promise<number> {
  const unfiltered = { ...scope, plan: null, route: null, client: null };
  const [row] = await reader.$queryRaw<{ requests: number | null }[]>`
    SELECT sum(requests::float8) AS requests FROM ${countRows(unfiltered, counts)}`;
  return row?.requests ?? 0;
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

export function addFigures(a: Figures, b: Figures): Figures {
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
