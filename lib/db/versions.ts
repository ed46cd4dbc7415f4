import type { ObjectKind } from "@/lib/core/api/change";
import type { Reader, Tx } from "./client";

/** Bind variables of one statement end at 65,535. */
const ROWS_PER_INSERT = 5_000;

export type RevisionKey = { kind: ObjectKind; objectId: string };
export type RevisionHead = RevisionKey & { n: number; hash: string };

/** Number and hash of every revision of these objects: a state that was there before keeps its number. */
export async function revisionHeads(
  tx: Tx,
  objects: readonly RevisionKey[],
): Promise<RevisionHead[]> {
  const heads: RevisionHead[] = [];
  for (const kind of new Set(objects.map((object) => object.kind))) {
    const ids = objects.filter((object) => object.kind === kind).map(({ objectId }) => objectId);
    const rows = await tx.revision.findMany({
      where: { kind, objectId: { in: ids } },
      select: { objectId: true, n: true, hash: true },
    });
    heads.push(...rows.map((row) => ({ ...row, kind })));
  }
  return heads;
}

type VersionItemRow = {
  versionNumber: number;
  kind: ObjectKind;
  objectId: string;
  revision: number;
  lane: "live" | "candidate";
};

export async function insertVersionItems(tx: Tx, rows: readonly VersionItemRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    await tx.versionItem.createMany({ data: rows.slice(at, at + ROWS_PER_INSERT) });
  }
}

/** Revision by `kind id` of what a version holds; a rule's candidate by `candidate id`. */
export async function revisionsOfVersion(
  reader: Reader,
  versionNumber: number,
): Promise<Map<string, number>> {
  const rows = await reader.versionItem.findMany({
    where: { versionNumber },
    select: { kind: true, objectId: true, revision: true, lane: true },
  });
  return new Map(
    rows.map((row) => [
      `${row.lane === "candidate" ? row.lane : row.kind} ${row.objectId}`,
      row.revision,
    ]),
  );
}
