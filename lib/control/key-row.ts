import type { KeyRow } from "@/lib/core/api/keys";
import { AppError } from "@/lib/core/errors";
import type { Reader } from "@/lib/db/client";

export const keyInclude = {
  customer: true,
  secrets: { orderBy: { createdAt: "desc" as const } },
};

export type SecretRow = {
  prefix: string;
  hash: string;
  hashKeyId: string;
  revokedAt: Date | null;
  expiresAt: Date | null;
};

type Row = {
  id: string;
  name: string;
  customerId: string;
  createdAt: Date;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  customer: { plan: string };
  secrets: SecretRow[];
};

/** Throws `not_found`. */
export async function getKeyRow(reader: Reader, id: string): Promise<Row> {
  const row = await reader.apiKey.findUnique({ where: { id }, include: keyInclude });
  if (row === null) throw new AppError("not_found", `there is no key ${id}`);
  return row;
}

/** Whether gateways take it. */
export function isWorking({ revokedAt, expiresAt }: SecretRow, nowMs: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > nowMs);
}

export function keyRow(row: Row, nowMs: number): KeyRow {
  const working = row.secrets.filter((secret) => isWorking(secret, nowMs));
  const current = working.find(({ expiresAt }) => expiresAt === null) ?? row.secrets[0];
  const ends = working.flatMap(({ expiresAt }) =>
    expiresAt === null ? [] : [expiresAt.getTime()],
  );
  return {
    id: row.id,
    name: row.name,
    customer: row.customerId,
    plan: row.customer.plan,
    prefix: current?.prefix ?? "",
    createdAt: row.createdAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    previousUntil: ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString(),
  };
}
