import type { Database } from "../db/client";

const COUNT_KEYS = "rule_id, revision, mode, lane, plan, route";
const CLIENT_KEYS = "rule_id, revision, mode, lane, client, plan";

/** Each level of the roll-ups as its minutes make it; the statements give what differs, from either side. */
const DIFFERENCES = [
  differing(
    `SELECT hour, ${COUNT_KEYS}, requests, rejections, newly, kept FROM count_hour`,
    `SELECT date_trunc('hour', minute, 'UTC'), ${COUNT_KEYS}, sum(requests), sum(rejections), sum(newly), sum(kept)
      FROM count_minute GROUP BY 1, ${COUNT_KEYS}`,
  ),
  differing(
    `SELECT day, ${COUNT_KEYS}, requests, rejections, newly, kept FROM count_day`,
    `SELECT date_trunc('day', minute, 'UTC'), ${COUNT_KEYS}, sum(requests), sum(rejections), sum(newly), sum(kept)
      FROM count_minute GROUP BY 1, ${COUNT_KEYS}`,
  ),
  differing(
    `SELECT hour + (n - 1) * interval '5 minutes', ${COUNT_KEYS}, a, b, c FROM count_hour,
      unnest(five_requests, five_rejections, five_newly) WITH ORDINALITY AS step(a, b, c, n)
      WHERE a <> 0 OR b <> 0 OR c <> 0 OR n > 12`,
    `SELECT date_bin('5 minutes', minute, 'epoch'), ${COUNT_KEYS}, sum(requests), sum(rejections), sum(newly)
      FROM count_minute GROUP BY 1, ${COUNT_KEYS}
      HAVING sum(requests) <> 0 OR sum(rejections) <> 0 OR sum(newly) <> 0`,
  ),
  differing(
    `SELECT hour, ${CLIENT_KEYS}, requests, rejections, newly, peak FROM client_hour`,
    `SELECT date_trunc('hour', minute, 'UTC'), ${CLIENT_KEYS}, sum(requests), sum(rejections), sum(newly), max(requests)
      FROM client_minute GROUP BY 1, ${CLIENT_KEYS}`,
  ),
  differing(
    `SELECT day, ${CLIENT_KEYS}, requests, rejections, newly, peak FROM client_day`,
    `SELECT date_trunc('day', minute, 'UTC'), ${CLIENT_KEYS}, sum(requests), sum(rejections), sum(newly), max(requests)
      FROM client_minute GROUP BY 1, ${CLIENT_KEYS}`,
  ),
  differing(
    `SELECT hour, gateway_id, requests, batches, dropped_requests, dropped_clients, dropped_hits, missing_batches,
      minutes FROM gateway_hour`,
    `SELECT date_trunc('hour', minute, 'UTC'), gateway_id, sum(requests), sum(batches), sum(dropped_requests),
      sum(dropped_clients), sum(dropped_hits), sum(missing_batches), bit_or(1::bigint << extract(minute FROM minute)::int)
      FROM gateway_minute GROUP BY 1, gateway_id`,
  ),
];

function differing(level: string, minutes: string): string {
  return `(${level} EXCEPT ALL ${minutes}) UNION ALL (${minutes} EXCEPT ALL ${level})`;
}

/** Rows of hours and days that are not what their minutes come to; empty when every level says the same. */
export async function levelDifferences(db: Database): Promise<string[]> {
  const found: string[] = [];
  for (const statement of DIFFERENCES) {
    const rows = await db.$queryRawUnsafe<{ line: string }[]>(
      `SELECT differing::text AS line FROM (${statement}) differing`,
    );
    found.push(...rows.map(({ line }) => line));
  }
  return found;
}

/** Every table that ingest writes counts to. */
const ROLL_UP_TABLES = [
  "count_minute",
  "count_hour",
  "count_day",
  "client_minute",
  "client_hour",
  "client_day",
  "hit_sample",
  "gateway_minute",
  "gateway_hour",
  "ingested_batch",
] as const;

export async function emptyRollUps(db: Database): Promise<void> {
  for (const table of ROLL_UP_TABLES) await db.$executeRawUnsafe(`DELETE FROM ${table}`);
}
