import { randomUUID } from "node:crypto";
import type { AlertKind } from "@/lib/core/alert";
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
  "convergence-late": "warning",
  "ingest-behind": "warning",
  "redis-down": "critical",
};

/**
 * Opens an alert, or freshens the one that is open for this (kind, subject). What was seen before it was last
 * resolved opens nothing: reports may arrive late. True when it was opened now.
 */
export async function raiseAlert(tx: Pick<Tx, "$queryRaw">, alert: RaisedAlert): Promise<boolean> {
  const { kind, subject, message, atMs } = alert;
  const at = new Date(atMs);
  const rows = await tx.$queryRaw<{ opened: boolean }[]>`
    INSERT INTO alert AS a (id, kind, subject, severity, message, raised_at, last_at)
    SELECT ${randomUUID()}, ${kind}, ${subject}, ${SEVERITY[kind]}, ${message}, ${at}::timestamptz, ${at}::timestamptz
    WHERE NOT EXISTS (
      SELECT 1 FROM alert WHERE resolved_at > ${at}::timestamptz AND kind = ${kind} AND subject = ${subject})
    ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO UPDATE SET
      last_at = GREATEST(a.last_at, excluded.last_at), message = excluded.message, severity = excluded.severity
    RETURNING (xmax = 0) AS opened`;
  return rows[0]?.opened ?? false;
}
