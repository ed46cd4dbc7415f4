import type { CountedMode, Lane } from "@/lib/core/counts";
import { empty, join, type Sql, sql } from "@/lib/db/sql";
import type { Level, Part } from "./report-parts";

export type ReportScope = {
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

const COUNT_TABLES: Record<Level, { table: Sql; at: Sql }> = {
  minute: { table: sql`count_minute`, at: sql`minute` },
  hour: { table: sql`count_hour`, at: sql`hour` },
  day: { table: sql`count_day`, at: sql`day` },
};

const CLIENT_TABLES: Record<Level, { table: Sql; at: Sql; peak: Sql }> = {
  minute: { table: sql`client_minute`, at: sql`minute`, peak: sql`requests` },
  hour: { table: sql`client_hour`, at: sql`hour`, peak: sql`peak` },
  day: { table: sql`client_day`, at: sql`day`, peak: sql`peak` },
};

/** `(at, plan, route, requests, rejections, newly, kept)` of the parts; of a client without route and kept. */
export function countRows(scope: ReportScope, parts: readonly Part[]): Sql {
  if (scope.client !== null) {
    const ofClient = sql`at, plan, NULL AS route, requests, rejections, newly, 0 AS kept`;
    return sql`(SELECT ${ofClient} FROM ${clientRows(scope, parts)}) counted`;
  }
  const { route } = scope;
  return all(parts, "counted", (part) => {
    const { table, at } = COUNT_TABLES[part.level];
    return sql`SELECT ${at} AS at, plan, route, requests, rejections, newly, kept FROM ${table}
      WHERE ${inScope(scope, at, part)} ${route === null ? empty : sql`AND route = ${route}`}`;
  });
}

/** `(at, client, plan, requests, rejections, newly, peak)` of the parts. */
export function clientRows(scope: ReportScope, parts: readonly Part[]): Sql {
  const { client } = scope;
  return all(parts, "clients", (part) => {
    const { table, at, peak } = CLIENT_TABLES[part.level];
    return sql`SELECT ${at} AS at, client, plan, requests, rejections, newly, ${peak} AS peak FROM ${table}
      WHERE ${inScope(scope, at, part)} ${client === null ? empty : sql`AND client = ${client}`}`;
  });
}

/** What a report of this mode is about: in shadow the requests that passed. */
export function shownOf(mode: CountedMode): Sql {
  return mode === "shadow" ? sql`newly` : sql`rejections`;
}

export function inScope(
  { ruleId, mode, lane, revision, plan }: ReportScope,
  at: Sql,
  { fromMs, toMs }: Omit<Part, "level">,
): Sql {
  return sql`rule_id = ${ruleId} AND ${at} >= ${new Date(fromMs)}::timestamptz
    AND ${at} < ${new Date(toMs)}::timestamptz AND mode = ${mode} AND lane = ${lane}
    ${revision === null ? empty : sql`AND revision = ${revision}::int`}
    ${plan === null ? empty : sql`AND plan = ${plan}`}`;
}

function all(
  parts: readonly Part[],
  name: "counted" | "clients",
  select: (part: Part) => Sql,
): Sql {
  const as = name === "counted" ? sql`counted` : sql`clients`;
  return sql`(${join(parts.map(select), " UNION ALL ")}) ${as}`;
}
