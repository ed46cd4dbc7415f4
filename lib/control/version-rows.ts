import { ChangeSummarySchema } from "@/lib/core/api/change";
import { VersionKindSchema, type VersionRow } from "@/lib/core/api/versions";
import type { Reader } from "@/lib/db/client";
import { actorColumn } from "@/lib/db/json";
import { convergenceOf, fleetNow, pastConvergence } from "./convergence";

export const versionColumns = {
  number: true,
  epoch: true,
  kind: true,
  message: true,
  changes: true,
  actor: true,
  createdAt: true,
  restores: true,
  parent: true,
} as const;

type Row = {
  number: number;
  epoch: number;
  kind: string;
  message: string;
  changes: unknown;
  actor: Parameters<typeof actorColumn>[0];
  createdAt: Date;
  restores: number | null;
};

/** Rows of versions in the order given. `current` is the live one's number. */
export async function versionRows(
  reader: Reader,
  rows: readonly Row[],
  { current, nowMs }: { current: number; nowMs: number },
): Promise<VersionRow[]> {
  const targets = rows.map(({ epoch, number, createdAt }) => ({
    epoch,
    version: number,
    createdAt,
  }));
  const convergence = await pastConvergence(reader, targets);
  const live = targets.find(({ version }) => version === current);
  if (live !== undefined) {
    const { gateways: _, ...summary } = await convergenceOf(
      reader,
      live,
      await fleetNow(reader, nowMs),
    );
    convergence.set(current, summary);
  }
  return rows.map((row): VersionRow => {
    const summary = convergence.get(row.number);
    if (summary === undefined) throw new Error(`version ${row.number} has no convergence`);
    return {
      version: row.number,
      epoch: row.epoch,
      kind: VersionKindSchema.parse(row.kind),
      message: row.message,
      actor: actorColumn(row.actor),
      createdAt: row.createdAt.toISOString(),
      ...(row.restores === null ? {} : { restores: row.restores }),
      live: row.number === current,
      changes: ChangeSummarySchema.parse(row.changes),
      convergence: summary,
    };
  });
}
