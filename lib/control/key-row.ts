import type { KeyRow } from "@/lib/core/api/keys";
import { AppError } from "@/lib/core/errors";
import type { Reader } from "@/lib/db/client";

export const keyInclude = {
  customer: true,
  secrets: { orderBy: { createdAt: "desc" as const } },
};

type Row = {
  id: string;
  name: string;
  customerId: string;
  createdAt: Date;
  revokedAt: Date | null;
  customer: { plan: string };
  secrets: { prefix: string; hash: string; hashKeyId: string; revokedAt: Date | null }[];
};

/** Throws `not_found`. */
export async function getKeyRow(reader: Reader, id: string): Promise<Row> {
  const row = await reader.apiKey.findUnique({ where: { id }, include: keyInclude });
  if (row === null) throw new AppError("not_found", `there is no key ${id}`);
  return row;
}

export function keyRow(row: Row): KeyRow {
  const current = row.secrets.find(({ revokedAt }) => revokedAt === null) ?? row.secrets[0];
  return {
    id: row.id,
    name: row.name,
    customer: row.customerId,
    plan: row.customer.plan,
    prefix: current?.prefix ?? "",
    createdAt: row.createdAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}
