import type { GatewayRow } from "@/lib/core/api/gateways";
import { type Heartbeat, HeartbeatSchema } from "@/lib/core/heartbeat";
import { compareVersions } from "@/lib/core/version";
import { clockDate } from "./clock-date";
import { gatewayState } from "./fleet";

type Row = {
  id: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  drainedAt: Date | null;
  dismissedAt: Date | null;
  heartbeat: unknown;
};

type World = { epoch: number; version: number; directorySeq: number };

/** A gateway by its last heartbeat. */
export function gatewayRow(row: Row, world: World, nowMs: number): GatewayRow {
  const heartbeat = HeartbeatSchema.parse(row.heartbeat);
  const { applied, directory, refused } = heartbeat;
  const isRefusing =
    refused !== null && (applied === null || compareVersions(refused, applied) > 0);
  return {
    id: row.id,
    state: gatewayState(row, nowMs),
    version: applied?.version ?? null,
    epoch: applied?.epoch ?? null,
    hash: applied?.hash ?? null,
    appliedAt: applied === null ? null : iso(applied.appliedAtMs),
    source: applied?.source ?? null,
    behind: applied === null ? null : Math.max(0, world.version - applied.version),
    refused: isRefusing ? refused : null,
    mode: heartbeat.mode,
    modeSince: iso(heartbeat.modeSinceMs),
    error: heartbeat.error,
    stopEnforcing: stopRow(heartbeat.stopEnforcing),
    checkedAgoMs: heartbeat.checkedAgoMs,
    directory:
      directory === null
        ? null
        : {
            seq: directory.seq,
            complete: directory.complete,
            behind: Math.max(0, world.directorySeq - directory.seq),
          },
    requestsPerSecond: heartbeat.requestsPerSecond,
    clockOffsetMs: heartbeat.clockOffsetMs,
    build: heartbeat.build,
    features: heartbeat.features,
    startedAt: iso(heartbeat.startedAtMs),
    firstSeenAt: row.firstSeenAt.toISOString(),
    lastSeenAt: row.lastSeenAt.toISOString(),
  };
}

function stopRow(stopped: Heartbeat["stopEnforcing"]): GatewayRow["stopEnforcing"] {
  if (stopped === undefined || stopped === null) return null;
  const { rules, by, sinceMs } = stopped;
  return { rules, by, since: iso(sinceMs) };
}

function iso(ms: number): string {
  return clockDate(ms).toISOString();
}
