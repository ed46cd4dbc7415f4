import type { Reader } from "@/lib/db/client";
import { empty, join, raw, type Sql, sql } from "@/lib/db/sql";
import { addFigures, type Figures, figuresOf, NO_FIGURES, type Sums } from "./report-figures";
import type { Part } from "./report-parts";
import { countRows, inScope, type ReportScope, shownOf } from "./report-rows";

const HOUR_MS = 3_600_000;
export const FIVE_MINUTES_MS = 300_000;
/** Of an hour's row. */
const STEPS = Array.from({ length: 12 }, (_, i) => i + 1);

export type Worst = { fromMs: number } & Figures;

/** The 5-minute step of the clock with most rejections, the earliest of equal ones; null when none had any. */
export async function worstFiveMinutes(
  reader: Reader,
  scope: ReportScope,
  parts: readonly Part[],
): Promise<Worst | null> {
  if (parts.length === 0) return null;
  const hours = parts.filter(({ level }) => level === "hour");
  const minutes = parts.filter(({ level }) => level === "minute");
  const steps = [
    ...hours.map((part) => stepsOfHours(scope, part)),
    ...(minutes.length === 0 ? [] : [stepsOfMinutes(scope, minutes)]),
  ];
  const [worst] = await reader.$queryRaw<{ step: number; shown: number }[]>`
    SELECT step, shown FROM (${join(steps, " UNION ALL ")}) steps
    WHERE shown > 0 ORDER BY shown DESC, step LIMIT 1`;
  if (worst === undefined) return null;
  const fromMs = worst.step * 1000;
  const part = parts.find((each) => fromMs + FIVE_MINUTES_MS > each.fromMs && fromMs < each.toMs);
  const figures = await figuresIn(reader, scope, { ...(part ?? minute), fromMs });
  return { fromMs, ...figures };
}

/** The same of a report whose own steps are no longer than five minutes: nothing more needs to be read. */
export function worstOfSteps(bySecond: ReadonlyMap<number, Figures>): Worst | null {
  const steps = new Map<number, Figures>();
  for (const [second, figures] of bySecond) {
    const step = Math.floor(second / 300) * 300;
    steps.set(step, addFigures(steps.get(step) ?? NO_FIGURES, figures));
  }
  let worst: Worst | null = null;
  for (const [step, figures] of [...steps].toSorted(([a], [b]) => a - b))
    if (figures.rejections > (worst?.rejections ?? 0)) worst = { fromMs: step * 1000, ...figures };
  return worst;
}

const minute = { level: "minute", toMs: Number.POSITIVE_INFINITY } as const;

/** Sums of all twelve at once: a row a step would be twelve times as many to group. */
function stepsOfHours(scope: ReportScope, part: Part): Sql {
  const five = scope.mode === "shadow" ? "five_newly" : "five_rejections";
  const sums = STEPS.map((n) => raw(`sum(${five}[${n}]::float8) AS s${n}`));
  const values = STEPS.map((n) => raw(`(${n - 1}, s${n})`));
  return sql`SELECT extract(epoch FROM hour)::float8 + n * 300 AS step, shown
    FROM (SELECT hour, ${join(sums)} FROM count_hour WHERE ${inScope(scope, sql`hour`, part)} ${onRoute(scope)}
      GROUP BY hour) hours,
    LATERAL (VALUES ${join(values)}) AS five(n, shown)`;
}

function stepsOfMinutes(scope: ReportScope, parts: readonly Part[]): Sql {
  return sql`SELECT floor(extract(epoch FROM at)::float8 / 300) * 300 AS step, sum(${shownOf(scope.mode)}::float8) AS shown
    FROM ${countRows(scope, parts)} GROUP BY 1`;
}

async function figuresIn(
  reader: Reader,
  scope: ReportScope,
  { level, fromMs, toMs }: Part,
): Promise<Figures> {
  const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  const n = raw(String(1 + (fromMs - hourMs) / FIVE_MINUTES_MS));
  const one = { level, fromMs, toMs: Math.min(toMs, fromMs + FIVE_MINUTES_MS) };
  const rows =
    level === "hour"
      ? sql`(SELECT five_requests[${n}] AS requests, five_rejections[${n}] AS rejections, five_newly[${n}] AS newly
          FROM count_hour WHERE ${inScope(scope, sql`hour`, { fromMs: hourMs, toMs: hourMs + 1 })} ${onRoute(scope)}) counted`
      : countRows(scope, [one]);
  const [sums] = await reader.$queryRaw<Sums[]>`
    SELECT sum(requests)::float8 AS requests, sum(rejections)::float8 AS rejections, sum(newly)::float8 AS newly
    FROM ${rows}`;
  return figuresOf(sums ?? { requests: 0, rejections: 0, newly: 0 }, scope.mode);
}

function onRoute({ route }: ReportScope): Sql {
  return route === null ? empty : sql`AND route = ${route}`;
}
