import type { CountBatch } from "@/lib/core/counts";
import type { Tx } from "@/lib/db/client";
import type { ClientMinuteRow, CountMinuteRow, GatewayMinuteRow } from "./roll-up";

// One statement a table: the rows travel as one JSON text, whatever their number.

export async function addCountMinutes(tx: Tx, rows: readonly CountMinuteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO count_minute AS held
      (minute, rule_id, revision, mode, lane, plan, route, requests, rejections, newly, kept)
    SELECT to_timestamp(r.minute * 60), r.rule, r.revision, r.mode, r.lane, r.plan, r.route,
      r.requests, r.rejections, r.newly, r.kept
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(minute bigint, rule text, revision int,
      mode text, lane text, plan text, route text, requests bigint, rejections bigint, newly bigint,
      kept bigint)
    ON CONFLICT (rule_id, minute, revision, mode, lane, plan, route) DO UPDATE SET
      requests = held.requests + excluded.requests,
      rejections = held.rejections + excluded.rejections,
      newly = held.newly + excluded.newly,
      kept = held.kept + excluded.kept`;
}

export async function addClientMinutes(tx: Tx, rows: readonly ClientMinuteRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO client_minute AS held
      (minute, rule_id, revision, mode, lane, client, plan, requests, rejections, newly)
    SELECT to_timestamp(r.minute * 60), r.rule, r.revision, r.mode, r.lane, r.client, r.plan,
      r.requests, r.rejections, r.newly
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(minute bigint, rule text, revision int,
      mode text, lane text, client text, plan text, requests bigint, rejections bigint, newly bigint)
    ON CONFLICT (rule_id, minute, revision, mode, lane, client, plan) DO UPDATE SET
      requests = held.requests + excluded.requests,
      rejections = held.rejections + excluded.rejections,
      newly = held.newly + excluded.newly`;
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
export async function addGatewayMinutes(
  tx: Tx,
  rows: readonly GatewayMinuteRow[],
  missing: readonly { gateway: string; minute: number; missing: number }[],
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO gateway_minute AS held (minute, gateway_id, requests, refused, local, unchecked, batches,
      dropped_requests, dropped_clients, dropped_hits)
    SELECT to_timestamp(r.minute * 60), r.gateway, r.requests, r.refused, r.local, r.unchecked, r.batches,
      r."droppedRequests", r."droppedClients", r."droppedHits"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(minute bigint, gateway text, requests bigint,
      refused bigint, local bigint, unchecked bigint, batches int, "droppedRequests" bigint,
      "droppedClients" bigint, "droppedHits" bigint)
    ON CONFLICT (gateway_id, minute) DO UPDATE SET
      requests = held.requests + excluded.requests,
      refused = held.refused + excluded.refused,
      local = held.local + excluded.local,
      unchecked = held.unchecked + excluded.unchecked,
      batches = held.batches + excluded.batches,
      dropped_requests = held.dropped_requests + excluded.dropped_requests,
      dropped_clients = held.dropped_clients + excluded.dropped_clients,
      dropped_hits = held.dropped_hits + excluded.dropped_hits`;
  if (missing.length === 0) return;
  await tx.$executeRaw`
    UPDATE gateway_minute AS held SET missing_batches = held.missing_batches + r.missing
    FROM json_to_recordset(${JSON.stringify(missing)}::json) AS r(gateway text, minute bigint, missing int)
    WHERE held.gateway_id = r.gateway AND held.minute = to_timestamp(r.minute * 60)`;
}
