import { type Heartbeat, LIVE_MS } from "@/lib/core/heartbeat";
import { ALL_RULES } from "@/lib/core/stop-enforcing";
import { compareVersions } from "@/lib/core/version";
import { tellChange } from "@/lib/db/changes";
import type { Tx } from "@/lib/db/client";
import { clockDate } from "./clock-date";
import { raiseAlert } from "./raise-alert";
import { resolveAlert } from "./resolve-alert";

/** When it was received, by the clock of Redis or of this process: a gateway's own clock may be wrong. */
export type ReceivedHeartbeat = { heartbeat: Heartbeat; receivedMs: number };

/**
 * Takes a gateway's word of itself: its row, what it applied or refused, and the alerts that follow from it. One
 * that is older than what is known of the gateway only adds to what was applied. True when it was news.
 */
export async function storeHeartbeat(tx: Tx, received: ReceivedHeartbeat): Promise<boolean> {
  const isApplied = await storeApplied(tx, received);
  const { isNews, isSeen } = await storeGateway(tx, received);
  if (isNews) await alertAbout(tx, received);
  if (isApplied || isSeen) await tellChange(tx);
  return isNews;
}

/**
 * An older process of the same gateway may still speak while its successor runs: the one that started later counts,
 * unless it has not been heard for as long as a gateway may be silent. `isSeen`: what people look at changed, too.
 */
async function storeGateway(
  tx: Tx,
  { heartbeat, receivedMs }: ReceivedHeartbeat,
): Promise<{ isNews: boolean; isSeen: boolean }> {
  const { gateway, boot, applied, mode, state, startedAtMs } = heartbeat;
  const at = new Date(receivedMs);
  const drainedAt = state === "drained" ? at : null;
  const [row] = await tx.$queryRaw<{ isNews: boolean; isSeen: boolean }[]>`
    WITH earlier AS (SELECT drained_at, last_seen_at, mode, applied_epoch, applied_version FROM gateway WHERE id = ${gateway}), changed AS (
    INSERT INTO gateway AS held (id, boot, first_seen_at, last_seen_at, drained_at, applied_epoch,
      applied_version, mode, heartbeat)
    VALUES (${gateway}, ${boot}, ${at}::timestamptz, ${at}::timestamptz, ${drainedAt}::timestamptz,
      ${applied?.epoch ?? null}::int, ${applied?.version ?? null}::int, ${mode}, ${JSON.stringify(heartbeat)}::jsonb)
    ON CONFLICT (id) DO UPDATE SET
      boot = excluded.boot, last_seen_at = excluded.last_seen_at, drained_at = excluded.drained_at,
      dismissed_at = CASE WHEN excluded.drained_at IS NULL THEN NULL ELSE held.dismissed_at END,
      applied_epoch = excluded.applied_epoch, applied_version = excluded.applied_version,
      mode = excluded.mode, heartbeat = excluded.heartbeat
    WHERE excluded.last_seen_at >= held.last_seen_at AND (
      held.boot = excluded.boot
      OR (held.heartbeat->>'startedAtMs')::bigint <= ${startedAtMs}::bigint
      OR held.last_seen_at < excluded.last_seen_at - make_interval(secs => ${LIVE_MS / 1000}::float8))
    RETURNING id, drained_at, mode, applied_epoch, applied_version), rested AS (
    INSERT INTO gateway_rest (gateway_id, "from", "to")
    SELECT changed.id, earlier.drained_at, ${at}::timestamptz FROM changed, earlier
    WHERE earlier.drained_at IS NOT NULL AND ${drainedAt}::timestamptz IS NULL
    ON CONFLICT DO NOTHING)
    SELECT EXISTS (SELECT FROM changed) AS "isNews", EXISTS (
      SELECT FROM changed WHERE NOT EXISTS (
        SELECT FROM earlier
        WHERE earlier.last_seen_at >= ${new Date(receivedMs - LIVE_MS)}::timestamptz
          AND (earlier.drained_at IS NULL) = (changed.drained_at IS NULL) AND earlier.mode = changed.mode
          AND earlier.applied_epoch IS NOT DISTINCT FROM changed.applied_epoch
          AND earlier.applied_version IS NOT DISTINCT FROM changed.applied_version)) AS "isSeen"`;
  return row ?? { isNews: false, isSeen: false };
}

/** The first time counts: a restarted gateway applies the same version again. A version of another epoch is not ours. True if it was. */
async function storeApplied(
  tx: Tx,
  { heartbeat, receivedMs }: ReceivedHeartbeat,
): Promise<boolean> {
  const { gateway, applied, refused, clockOffsetMs } = heartbeat;
  let rows = 0;
  if (applied !== null) {
    const at = clockDate(applied.appliedAtMs + (clockOffsetMs ?? 0));
    rows += await tx.$executeRaw`
      INSERT INTO gateway_apply AS held (gateway_id, version_number, state, at)
      SELECT ${gateway}, number, 'applied', LEAST(GREATEST(created_at, ${at}::timestamptz),
        GREATEST(created_at, ${new Date(receivedMs)}::timestamptz))
      FROM version WHERE number = ${applied.version} AND epoch = ${applied.epoch}
      ON CONFLICT (gateway_id, version_number) DO UPDATE SET state = 'applied', at = excluded.at, reason = NULL
      WHERE held.state = 'refused'`;
  }
  if (refused !== null) {
    rows += await tx.$executeRaw`
      INSERT INTO gateway_apply (gateway_id, version_number, state, at, reason)
      SELECT ${gateway}, number, 'refused', ${new Date(receivedMs)}::timestamptz, ${refused.reason}
      FROM version WHERE number = ${refused.version} AND epoch = ${refused.epoch}
      ON CONFLICT (gateway_id, version_number) DO NOTHING`;
  }
  return rows > 0;
}

async function alertAbout(
  tx: Tx,
  { heartbeat, receivedMs: atMs }: ReceivedHeartbeat,
): Promise<void> {
  const { gateway: subject, mode, error, applied, refused, state, stopEnforcing } = heartbeat;
  const isServing = state !== "drained";
  const isDegraded = isServing && mode === "local";
  const isStopped = isServing && stopEnforcing !== undefined && stopEnforcing !== null;
  const isRefusing =
    isServing && refused !== null && (applied === null || compareVersions(refused, applied) > 0);
  await resolveAlert(tx, {
    kinds: [
      "gateway-silent",
      ...(isDegraded ? [] : (["gateway-degraded"] as const)),
      ...(isRefusing ? [] : (["gateway-refused"] as const)),
      ...(isStopped ? [] : (["gateway-stopped"] as const)),
    ],
    subject,
    atMs,
  });
  if (isDegraded) {
    const why = error ?? "it cannot reach Redis";
    const message = `Gateway ${subject} limits by its own share of each limit: ${why}`;
    await raiseAlert(tx, { kind: "gateway-degraded", subject, message, atMs });
  }
  if (isStopped) {
    const { rules, by } = stopEnforcing;
    const what = rules.includes(ALL_RULES) ? "anything" : rules.slice(0, 5).join(", ");
    const message = `Gateway ${subject} does not enforce ${what}: a ${by.join(" and a ")} on its machine says so`;
    await raiseAlert(tx, { kind: "gateway-stopped", subject, message, atMs });
  }
  if (isRefusing) {
    const message = `Gateway ${subject} refused version ${refused.version}: ${refused.reason}`;
    await raiseAlert(tx, { kind: "gateway-refused", subject, message, atMs });
  }
}
