import type { Stop } from "@/lib/core/api/stops";
import type { EnforcementStop } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";

export function stopRow(row: EnforcementStop): Stop {
  return {
    id: row.id,
    scope: row.scope === "all" ? "all" : "rules",
    rules: row.rules,
    reason: row.reason,
    actor: actorColumn(row.actor),
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    endedBy: row.endedBy === null ? null : actorColumn(row.endedBy),
    endedVersion: row.endedVersion,
    outcome: row.outcome,
  };
}
