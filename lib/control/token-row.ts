import { TOKEN_SCOPES, type TokenScope } from "@/lib/core/access";
import type { TokenRow } from "@/lib/core/api/tokens";

type Row = {
  id: string;
  name: string;
  scopes: string[];
  prefix: string;
  createdBy: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  expiresAt: Date | null;
};

export function tokenRow(row: Row): TokenRow {
  return {
    id: row.id,
    name: row.name,
    scopes: knownScopes(row.scopes),
    prefix: row.prefix,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}

/** A scope that this build does not know opens nothing. */
export function knownScopes(scopes: readonly string[]): TokenScope[] {
  return TOKEN_SCOPES.filter((scope): scope is TokenScope => scopes.includes(scope));
}
