import type { Reader } from "./client";

export type RuleMinute = {
  ruleId: string;
  mode: string;
  minute: Date;
  requests: number;
  /** As a report counts them: in shadow those of requests that passed today. */
  rejections: number;
};

type Interval = { ruleIds: readonly string[]; from: Date; to: Date };

/** What was counted of these rules' live revisions in each minute of [from, to). Minutes without rows are absent. */
export async function ruleMinutes(
  reader: Reader,
  { ruleIds, from, to }: Interval,
): Promise<RuleMinute[]> {
  if (ruleIds.length === 0) return [];
  const rows = await reader.$queryRaw<(Omit<RuleMinute, "requests" | "rejections"> & Sums)[]>`
    SELECT rule_id AS "ruleId", mode, minute, sum(requests)::float8 AS requests,
      sum(CASE WHEN mode = 'shadow' THEN newly ELSE rejections END)::float8 AS rejections
    FROM count_minute
    WHERE rule_id = ANY(${[...ruleIds]}::text[]) AND lane = 'live'
      AND minute >= ${from}::timestamptz AND minute < ${to}::timestamptz
    GROUP BY rule_id, mode, minute`;
  return rows;
}

type Sums = { requests: number; rejections: number };
