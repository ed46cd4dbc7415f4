import type { TokenRow } from "@/lib/core/api/tokens";

type Row = {
  id: string;
  name: string;
  scope: string;
  prefix: string;
  createdBy: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

export function tokenRow(row: Row): TokenRow {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope === "admin" ? "admin" : "gateway",
    prefix: row.prefix,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}
