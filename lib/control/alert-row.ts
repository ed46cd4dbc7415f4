import type { AlertRow } from "@/lib/core/api/alerts";
import { AlertRowSchema } from "@/lib/core/api/alerts";

type Row = {
  id: string;
  kind: string;
  subject: string;
  severity: string;
  message: string;
  raisedAt: Date;
  lastAt: Date;
  resolvedAt: Date | null;
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
};

export function alertRow(row: Row): AlertRow {
  return {
    ...row,
    severity: AlertRowSchema.shape.severity.parse(row.severity),
    raisedAt: row.raisedAt.toISOString(),
    lastAt: row.lastAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
  };
}
