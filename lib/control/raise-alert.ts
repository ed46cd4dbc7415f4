import { randomUUID } from "node:crypto";
import type { AlertKind } from "@/lib/core/alert";
import { tellChange } from "@/lib/db/changes";
import type { Tx } from "@/lib/db/client";

export type AlertSeverity = "info" | "warning" | "critical";

type RaisedAlert = {
  kind: AlertKind;
  /** Names the same trouble again: a gateway id, `redis`, `counts`. */
  subject: string;
  message: string;
  /** When it was seen to be so. */
  atMs: number;
};

const SEVERITY: Record<AlertKind, AlertSeverity> = {
  "gateway-degraded": "critical",
  "gateway-refused": "critical",
  "gateway-silent": "warning",
  "gateway-stopped": "warning",
  "guardrail-held": "warning",
  "guardrail-undone": "critical",
  "convergence-late": "warning",
  "ingest-behind": "warning",
  "no-data": "warning",
  "ramp-held": "warning",
  "ramp-stopped": "warning",
  "redis-down": "critical",
  "schedule-failed": "critical",
};

/** What comes back this soon after it ended is the same trouble: its row opens again instead of a row a second. */
const REOPEN_MS = 60_000;
/** What happens again is another one. */
const EVENTS: readonly AlertKind[] = ["guardrail-undone"];

/**
 * Opens an alert, or freshens the one that is open for this (kind, subject). What was seen before it was last
 * resolved opens nothing: reports may arrive late. True when it was opened now.
 */
export async function raiseAlert(
  tx: Pick<Tx, "$queryRaw">,
  { kind, subject, message, atMs }: RaisedAlert,
): Promise<boolean> {
  const at = new Date(atMs);
  const reopenMs = EVENTS.includes(kind) ? 0 : REOPEN_MS;
  const rows = await tx.$queryRaw<{ opened: boolean }[]>`
    WITH ended AS (
      SELECT id, resolved_at FROM alert
      WHERE kind = ${kind} AND subject = ${subject} AND resolved_at > ${new Date(atMs - reopenMs)}::timestamptz
      ORDER BY resolved_at DESC LIMIT 1),
    reopened AS (
      UPDATE alert SET resolved_at = NULL, last_at = ${at}::timestamptz, message = ${message}, severity = ${SEVERITY[kind]}
      WHERE id = (SELECT id FROM ended WHERE resolved_at <= ${at}::timestamptz)
        AND NOT EXISTS (SELECT 1 FROM alert WHERE kind = ${kind} AND subject = ${subject} AND resolved_at IS NULL)
      RETURNING true AS opened),
    inserted AS (
      INSERT INTO alert AS a (id, kind, subject, severity, message, raised_at, last_at)
      SELECT ${randomUUID()}, ${kind}, ${subject}, ${SEVERITY[kind]}, ${message}, ${at}::timestamptz, ${at}::timestamptz
      WHERE NOT EXISTS (SELECT 1 FROM reopened)
        AND NOT EXISTS (SELECT 1 FROM ended WHERE resolved_at > ${at}::timestamptz)
      ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO UPDATE SET
        last_at = GREATEST(a.last_at, excluded.last_at), message = excluded.message, severity = excluded.severity
      RETURNING (xmax = 0) AS opened)
    SELECT opened FROM reopened UNION ALL SELECT opened FROM inserted`;
  const isOpened = rows[0]?.opened ?? false;
  if (isOpened) await tellChange(tx);
  return isOpened;
}
