import type { VersionId } from "@/lib/core/version";
import type { Reader, Tx } from "./client";
import type { Draft, DraftItem } from "./generated/client";

export type DraftRow = Draft & { items: DraftItem[] };

const withItems = { items: { orderBy: [{ kind: "asc" as const }, { objectId: "asc" as const }] } };

export function findDraft(reader: Reader, owner: string): Promise<DraftRow | null> {
  return reader.draft.findUnique({ where: { owner }, include: withItems });
}

/** The owner's draft with its row locked, so that two tabs save one after the other. */
export async function lockDraft(tx: Tx, owner: string): Promise<DraftRow | null> {
  await tx.$queryRaw`SELECT id FROM draft WHERE owner = ${owner} FOR UPDATE`;
  return findDraft(tx, owner);
}

/** As `lockDraft`, but makes it on this base where there is none. */
export async function ensureDraft(
  tx: Tx,
  { id, owner, base }: { id: string; owner: string; base: VersionId },
): Promise<DraftRow> {
  await tx.draft.createMany({
    data: [{ id, owner, baseEpoch: base.epoch, baseVersion: base.version }],
    skipDuplicates: true,
  });
  const draft = await lockDraft(tx, owner);
  if (draft !== null) return draft;
  // Published or discarded between the two statements.
  return ensureDraft(tx, { id, owner, base });
}
