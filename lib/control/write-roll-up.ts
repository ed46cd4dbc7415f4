import type { CountBatch } from "@/lib/core/counts";
import type { Tx } from "@/lib/db/client";
import { type Sql, sql } from "@/lib/db/sql";
import type { ClientMinuteRow, CountMinuteRow, GatewayMinuteRow } from "./roll-up";
import {
  type CountHourRow,
  clientDays,
  clientHours,
  countDays,
  countHours,
} from "./roll-up-levels";

// One statement a table: the rows travel as one JSON text, whatever their number. Written in the order of the rules, so that
// what one report reads lies together.

/** Minutes, and the hours and days that they lie in: the same transaction, so that no level knows what another does not. */
export async function addCounts(tx: Tx, rows: readonly CountMinuteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO count_minute AS held
      (minute, rule_id, revision, mode, lane, plan, route, requests, rejections, newly, kept)
    SELECT ${COUNT_COLUMNS} FROM ${countRecords(rows)}
    ON CONFLICT (rule_id, minute, revision, mode, lane, plan, route) DO UPDATE SET ${COUNT_SUMS}`;
  await tx.$executeRaw`
    INSERT INTO count_hour AS held (hour, rule_id, revision, mode, lane, plan, route, requests, rejections, newly, kept,
      five_requests, five_rejections, five_newly)
    SELECT ${COUNT_COLUMNS}, r."fiveRequests", r."fiveRejections", r."fiveNewly"
    FROM ${countRecords(countHours(rows))}
    ON CONFLICT (rule_id, hour, revision, mode, lane, plan, route) DO UPDATE SET ${COUNT_SUMS},
      five_requests = ${sumOfSteps(sql`held.five_requests, excluded.five_requests`)},
      five_rejections = ${sumOfSteps(sql`held.five_rejections, excluded.five_rejections`)},
      five_newly = ${sumOfSteps(sql`held.five_newly, excluded.five_newly`)}`;
  await tx.$executeRaw`
    INSERT INTO count_day AS held
      (day, rule_id, revision, mode, lane, plan, route, requests, rejections, newly, kept)
    SELECT ${COUNT_COLUMNS} FROM ${countRecords(countDays(rows))}
    ON CONFLICT (rule_id, day, revision, mode, lane, plan, route) DO UPDATE SET ${COUNT_SUMS}`;
}

const COUNT_COLUMNS = sql`to_timestamp(r.minute * 60), r.rule, r.revision, r.mode, r.lane, r.plan, r.route,
  r.requests, r.rejections, r.newly, r.kept`;

const COUNT_SUMS = sql`requests = held.requests + excluded.requests,
  rejections = held.rejections + excluded.rejections,
  newly = held.newly + excluded.newly,
  kept = held.kept + excluded.kept`;

function countRecords(rows: readonly (CountMinuteRow | CountHourRow)[]): Sql {
  return sql`(SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(minute bigint, rule text,
    revision int, mode text, lane text, plan text, route text, requests bigint, rejections bigint, newly bigint,
    kept bigint, "fiveRequests" bigint[], "fiveRejections" bigint[], "fiveNewly" bigint[]) ORDER BY rule, plan) r`;
}

function sumOfSteps(both: Sql): Sql {
  return sql`(SELECT array_agg(a + b ORDER BY n) FROM unnest(${both}) WITH ORDINALITY AS step(a, b, n))`;
}

/**
 * A client's highest minute is the highest that any of its minutes ever came to. A minute only grows, so what the
 * written ones come to is handed up to their hour, and what the hours come to, to their day.
 */
export async function addClients(tx: Tx, rows: readonly ClientMinuteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    WITH minutes AS (
      INSERT INTO client_minute AS held
        (minute, rule_id, revision, mode, lane, client, plan, requests, rejections, newly)
      SELECT ${CLIENT_COLUMNS} FROM ${clientRecords(rows)}
      ON CONFLICT (rule_id, minute, revision, mode, lane, client, plan) DO UPDATE SET ${CLIENT_SUMS}
      RETURNING minute, rule_id, revision, mode, lane, client, plan, requests),
    hour_peaks AS (
      SELECT date_trunc('hour', minute, 'UTC') AS at, rule_id, revision, mode, lane, client, plan,
        max(requests) AS peak
      FROM minutes GROUP BY 1, rule_id, revision, mode, lane, client, plan),
    hours AS (
      INSERT INTO client_hour AS held
        (hour, rule_id, revision, mode, lane, client, plan, requests, rejections, newly, peak)
      SELECT ${CLIENT_COLUMNS}, p.peak FROM ${clientRecords(clientHours(rows))}
      JOIN hour_peaks p ON ${SAME_CLIENT}
      ON CONFLICT (rule_id, hour, revision, mode, lane, client, plan) DO UPDATE SET ${CLIENT_SUMS},
        peak = GREATEST(held.peak, excluded.peak)
      RETURNING hour, rule_id, revision, mode, lane, client, plan, peak),
    day_peaks AS (
      SELECT date_trunc('day', hour, 'UTC') AS at, rule_id, revision, mode, lane, client, plan, max(peak) AS peak
      FROM hours GROUP BY 1, rule_id, revision, mode, lane, client, plan)
    INSERT INTO client_day AS held
      (day, rule_id, revision, mode, lane, client, plan, requests, rejections, newly, peak)
    SELECT ${CLIENT_COLUMNS}, p.peak FROM ${clientRecords(clientDays(rows))}
    JOIN day_peaks p ON ${SAME_CLIENT}
    ON CONFLICT (rule_id, day, revision, mode, lane, client, plan) DO UPDATE SET ${CLIENT_SUMS},
      peak = GREATEST(held.peak, excluded.peak)`;
}

const CLIENT_COLUMNS = sql`to_timestamp(r.minute * 60), r.rule, r.revision, r.mode, r.lane, r.client, r.plan,
  r.requests, r.rejections, r.newly`;

const CLIENT_SUMS = sql`requests = held.requests + excluded.requests,
  rejections = held.rejections + excluded.rejections,
  newly = held.newly + excluded.newly`;

const SAME_CLIENT = sql`p.at = to_timestamp(r.minute * 60) AND p.rule_id = r.rule AND p.revision = r.revision
  AND p.mode = r.mode AND p.lane = r.lane AND p.client = r.client AND p.plan = r.plan`;

function clientRecords(rows: readonly ClientMinuteRow[]): Sql {
  return sql`(SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(minute bigint, rule text,
    revision int, mode text, lane text, client text, plan text, requests bigint, rejections bigint, newly bigint)
    ORDER BY rule, client) r`;
}

export async function addHits(tx: Tx, batches: readonly CountBatch[]): Promise<void> {
  const rows = batches.flatMap(({ gateway, hits }) => hits.map((hit) => ({ ...hit, gateway })));
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO hit_sample (at, request_id, rule_id, revision, mode, lane, client, plan, method, route,
      gateway_id, epoch, version, retry_after_seconds)
    SELECT to_timestamp(r."atMs" / 1000.0), r."requestId", r.rule, r.revision, r.mode, r.lane, r.client, r.plan,
      r.method, r.route, r.gateway, r.epoch, r.version, r."retryAfterSeconds"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r("atMs" bigint, "requestId" text, rule text,
      revision int, mode text, lane text, client text, plan text, method text, route text, gateway text,
      epoch int, version int, "retryAfterSeconds" int)`;
}

/** To the minute, and never in the future, whatever a gateway's clock says: many gateways name the same one. */
export async function markOverridesUsed(tx: Tx, batches: readonly CountBatch[]): Promise<void> {
  const rows = batches.flatMap(({ toMs, overrides = [] }) => overrides.map((id) => ({ id, toMs })));
  if (rows.length === 0) return;
  await tx.$executeRaw`
    UPDATE override AS held SET last_used_at = used.at
    FROM (SELECT r.id, LEAST(now(), to_timestamp(max(r."toMs") / 1000.0)) AS at
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(id text, "toMs" bigint) GROUP BY r.id) used
    WHERE held.id = used.id
      AND (held.last_used_at IS NULL OR held.last_used_at < used.at - interval '30 seconds')`;
}

/** To the hour, as gateways name a key, and never in the future. A row that somebody else holds is told again. */
export async function markKeysUsed(tx: Tx, batches: readonly CountBatch[]): Promise<void> {
  const rows = batches.flatMap(({ toMs, keys = [] }) => keys.map((id) => ({ id, toMs })));
  if (rows.length === 0) return;
  await tx.$executeRaw`
    UPDATE api_key AS held SET last_used_at = used.at
    FROM (SELECT k.id, LEAST(now(), to_timestamp(r.ms / 1000.0)) AS at
      FROM (SELECT id, max("toMs") AS ms
        FROM json_to_recordset(${JSON.stringify(rows)}::json) AS named(id text, "toMs" bigint) GROUP BY id) r
      JOIN api_key k ON k.id = r.id
      WHERE k.last_used_at IS NULL OR k.last_used_at < to_timestamp(r.ms / 1000.0) - interval '30 minutes'
      ORDER BY k.id FOR UPDATE OF k SKIP LOCKED) used
    WHERE held.id = used.id`;
}

/** `missing` may be negative: a late batch closed a gap that was counted in that minute. */
export async function addGateways(
  tx: Tx,
  rows: readonly GatewayMinuteRow[],
  missing: readonly { gateway: string; minute: number; missing: number }[],
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO gateway_minute AS held (minute, gateway_id, requests, refused, local, unchecked, batches,
      dropped_requests, dropped_clients, dropped_hits)
    SELECT to_timestamp(r.minute * 60), r.gateway, r.requests, r.refused, r.local, r.unchecked, r.batches,
      r."droppedRequests", r."droppedClients", r."droppedHits"
    FROM ${gatewayRecords(rows)}
    ON CONFLICT (gateway_id, minute) DO UPDATE SET
      refused = held.refused + excluded.refused,
      local = held.local + excluded.local,
      unchecked = held.unchecked + excluded.unchecked,
      ${GATEWAY_SUMS}`;
  await tx.$executeRaw`
    INSERT INTO gateway_hour AS held
      (hour, gateway_id, requests, batches, dropped_requests, dropped_clients, dropped_hits, minutes)
    SELECT to_timestamp(r.minute / 60 * 3600), r.gateway, sum(r.requests), sum(r.batches),
      sum(r."droppedRequests"), sum(r."droppedClients"), sum(r."droppedHits"),
      bit_or(1::bigint << (r.minute % 60)::int)
    FROM ${gatewayRecords(rows)} GROUP BY r.minute / 60, r.gateway
    ON CONFLICT (gateway_id, hour) DO UPDATE SET minutes = held.minutes | excluded.minutes, ${GATEWAY_SUMS}`;
  if (missing.length === 0) return;
  const gaps = sql`json_to_recordset(${JSON.stringify(missing)}::json) AS r(gateway text, minute bigint, missing int)`;
  await tx.$executeRaw`
    UPDATE gateway_minute AS held SET missing_batches = held.missing_batches + r.missing
    FROM ${gaps}
    WHERE held.gateway_id = r.gateway AND held.minute = to_timestamp(r.minute * 60)`;
  await tx.$executeRaw`
    UPDATE gateway_hour AS held SET missing_batches = held.missing_batches + r.missing
    FROM (SELECT gateway, minute / 60 AS hour, sum(missing)::int AS missing FROM ${gaps} GROUP BY 1, 2) r
    WHERE held.gateway_id = r.gateway AND held.hour = to_timestamp(r.hour * 3600)`;
}

const GATEWAY_SUMS = sql`requests = held.requests + excluded.requests,
  batches = held.batches + excluded.batches,
  dropped_requests = held.dropped_requests + excluded.dropped_requests,
  dropped_clients = held.dropped_clients + excluded.dropped_clients,
  dropped_hits = held.dropped_hits + excluded.dropped_hits`;

function gatewayRecords(rows: readonly GatewayMinuteRow[]): Sql {
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) AS r(minute bigint, gateway text, requests bigint,
    refused bigint, local bigint, unchecked bigint, batches int, "droppedRequests" bigint,
    "droppedClients" bigint, "droppedHits" bigint)`;
}
