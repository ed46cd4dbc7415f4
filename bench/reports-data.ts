import type { Database } from "@/lib/db/client";

export const RULES = 40;
export const PLANS = ["free", "paid", "enterprise", "anonymous"] as const;
export const ROUTES = ["/v1/messages", "/v1/messages/:id", "/v1/links", "/v1/search", "other"];
const GATEWAYS = 8;
const DAYS = 95;
const MINUTE_DAYS = 14;
/** Of the busiest rule on one day; a rule's share falls with its place. */
const CLIENTS_A_DAY = 3_050;
const POPULATION = 60_000;

export const ruleId = (n: number) => `rule-${n}`;

/** `now` is the first second of an hour; everything lies before it. */
export async function fillRollUps(db: Database, now: Date): Promise<number> {
  for (const statement of statements(now)) await db.$executeRawUnsafe(statement);
  let rows = 0;
  for (const table of TABLES) {
    await db.$executeRawUnsafe(`VACUUM ANALYZE ${table}`);
    const [counted] = await db.$queryRawUnsafe<{ rows: number }[]>(
      `SELECT count(*)::int AS rows FROM ${table}`,
    );
    rows += counted?.rows ?? 0;
  }
  return rows;
}

const TABLES = [
  "count_minute",
  "count_hour",
  "count_day",
  "client_minute",
  "client_hour",
  "client_day",
  "gateway_minute",
  "gateway_hour",
];

/** The busiest rule uses all plans and routes, the quietest one of each. */
const COMBINATIONS = `(
  SELECT 'rule-' || n AS rule_id, CASE WHEN n % 2 = 0 THEN 'enforce' ELSE 'shadow' END AS mode, plan, route, n
  FROM generate_series(1, ${RULES}) n,
    LATERAL (SELECT plan, route, row_number() OVER (ORDER BY route_nr + plan_nr, plan_nr) AS place
      FROM unnest(ARRAY[${list(PLANS)}]) WITH ORDINALITY AS p(plan, plan_nr),
        unnest(ARRAY[${list(ROUTES)}]) WITH ORDINALITY AS r(route, route_nr)) each
  WHERE place <= greatest(1, round(20 / n ^ 0.7)))`;

function list(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}

function statements(now: Date): string[] {
  const end = `'${now.toISOString()}'::timestamptz`;
  const days = (count: number) => `(${end} - interval '${count} days')`;
  const sums = "sum(requests), sum(rejections), sum(newly)";
  const counted = "rule_id, revision, mode, lane, plan, route";
  const ofClient = "rule_id, revision, mode, lane, client, plan";
  // Half of the time each revision; a rejection in shadow passes today nearly always.
  const revision = (at: string) => `CASE WHEN ${at} < ${days(30)} THEN 1 ELSE 2 END`;
  const newly = "CASE WHEN mode = 'shadow' THEN rejections - rejections / 10 ELSE 0 END";
  const rejections = "(requests * random() * random() / 8)::bigint";
  const fives = (column: string) =>
    `ARRAY[${Array.from({ length: 12 }, () => `(${column} / 12)::bigint`).join(", ")}]`;
  return [
    "SELECT setseed(0.5)",
    `INSERT INTO count_minute SELECT minute, rule_id, ${revision("minute")}, mode, 'live', plan, route, requests,
      rejections, ${newly}, rejections / 2
      FROM (SELECT *, ${rejections} AS rejections FROM (
        SELECT *, (random() * 900 / n)::bigint + 1 AS requests
        FROM generate_series(${days(MINUTE_DAYS)}, ${end} - interval '1 minute', '1 minute') minute, ${COMBINATIONS} c) r) r`,
    `INSERT INTO count_hour SELECT date_trunc('hour', minute), ${counted}, ${sums}, sum(kept),
      ${fives("sum(requests)")}, ${fives("sum(rejections)")}, ${fives("sum(newly)")}
      FROM count_minute GROUP BY 1, ${counted} ORDER BY 1, rule_id`,
    `INSERT INTO count_hour SELECT hour, rule_id, ${revision("hour")}, mode, 'live', plan, route, requests,
      rejections, ${newly}, rejections / 2, ${fives("requests")}, ${fives("rejections")}, ${fives(newly)}
      FROM (SELECT *, ${rejections} AS rejections FROM (
        SELECT *, (random() * 54000 / n)::bigint + 60 AS requests
        FROM generate_series(${days(DAYS)}, ${days(MINUTE_DAYS)} - interval '1 hour', '1 hour') hour, ${COMBINATIONS} c) r) r`,
    `INSERT INTO count_day SELECT date_trunc('day', hour), ${counted}, ${sums}, sum(kept)
      FROM count_hour GROUP BY 1, ${counted} ORDER BY 1, rule_id`,
    // A client comes back now and then: few are hit often.
    `INSERT INTO client_minute SELECT minute, rule_id, ${revision("minute")}, mode, 'live', 'key:client-' || who,
      plan, requests, rejections, ${newly}
      FROM (SELECT *, 1 + (requests * random())::bigint AS rejections FROM (
        SELECT c.*, minute, (random() * 120)::bigint + 1 AS requests
        FROM (${clientHours(days(MINUTE_DAYS), end)}) c,
          LATERAL (SELECT hour + minute * interval '1 minute' AS minute
            FROM generate_series(who % 7, 59, 25) minute) m) r) r
      ORDER BY minute, rule_id`,
    `INSERT INTO client_hour SELECT date_trunc('hour', minute), ${ofClient}, ${sums}, max(requests)
      FROM client_minute GROUP BY 1, ${ofClient} ORDER BY 1, rule_id`,
    `INSERT INTO client_hour SELECT hour, rule_id, ${revision("hour")}, mode, 'live', 'key:client-' || who, plan, requests,
      rejections, ${newly}, requests / 2
      FROM (SELECT *, 1 + (requests * random())::bigint AS rejections FROM (
        SELECT *, (random() * 300)::bigint + 1 AS requests
        FROM (${clientHours(days(DAYS), days(MINUTE_DAYS))}) c) r) r
      ORDER BY hour, rule_id`,
    `INSERT INTO client_day SELECT date_trunc('day', hour), ${ofClient}, ${sums}, max(peak)
      FROM client_hour GROUP BY 1, ${ofClient} ORDER BY 1, rule_id`,
    `INSERT INTO gateway_minute SELECT minute, 'gw-' || g, 6000, 60, 0, 0, 60, 0, 0, 0, 0
      FROM generate_series(${days(MINUTE_DAYS)}, ${end} - interval '1 minute', '1 minute') minute,
        generate_series(1, ${GATEWAYS}) g`,
    `INSERT INTO gateway_hour SELECT hour, 'gw-' || g, 360000, 3600, 0, 0, 0, 0, (1::bigint << 60) - 1
      FROM generate_series(${days(DAYS)}, ${end} - interval '1 hour', '1 hour') hour, generate_series(1, ${GATEWAYS}) g`,
    `INSERT INTO gateway (id, boot, first_seen_at, last_seen_at, mode, heartbeat)
      SELECT 'gw-' || g, 'boot-0001', ${days(DAYS)}, ${end}, 'shared', '{}' FROM generate_series(1, ${GATEWAYS}) g`,
    `INSERT INTO hit_sample (at, request_id, rule_id, revision, mode, lane, client, plan, method, route, gateway_id,
      epoch, version, retry_after_seconds)
      SELECT minute + random() * interval '1 minute', 'req-' || row_number() OVER (), rule_id, revision, mode, lane,
        client, plan, 'GET', (ARRAY[${list(ROUTES)}])[1 + (random() * 4)::int], 'gw-1', 1, 1, 10
      FROM client_minute WHERE random() < 0.3 ORDER BY minute`,
  ];
}

/** Each day its own set of clients; each of them in two or three hours of it. */
function clientHours(from: string, to: string): string {
  return `SELECT DISTINCT ON (hour, n, who) hour, 'rule-' || n AS rule_id,
      CASE WHEN n % 2 = 0 THEN 'enforce' ELSE 'shadow' END AS mode,
      (ARRAY[${list(PLANS)}])[1 + who % 4] AS plan, who, n
    FROM (SELECT day + floor(random() * 24) * interval '1 hour' AS hour, n,
        floor(${POPULATION} * random() ^ 2)::int AS who
      FROM generate_series(date_trunc('day', ${from}), ${to} - interval '1 hour', '1 day') day,
        generate_series(1, ${RULES}) n,
        LATERAL generate_series(1, (2.2 * ${CLIENTS_A_DAY} / n)::int) each) h
    WHERE hour >= ${from} AND hour < ${to}`;
}
