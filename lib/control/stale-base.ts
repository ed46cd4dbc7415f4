import type { Conflict } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import { revisionHash } from "@/lib/core/revision-hash";
import { findObject } from "@/lib/core/ruleset-objects";
import type { Reader, Tx } from "@/lib/db/client";
import { actorColumn } from "@/lib/db/json";
import type { DraftEdit } from "./draft-edits";
import { type LoadedVersion, loadVersion } from "./live-version";

/** What the caller took for the live version. */
export type Base = {
  /** Every one must be the current version; none given: the caller did not say. */
  versions: readonly number[];
  /** Also of this epoch, where the caller knows it. */
  epoch?: number;
  /** What the caller changes, to say what somebody else changed too. */
  edits: readonly DraftEdit[];
};

const VERSIONS_TOLD = 20;

/** Throws the 409 of a lost race, with everything that is needed to decide what now. */
export async function requireBase(tx: Tx, live: LoadedVersion, base: Base): Promise<void> {
  const stale = base.versions.filter((version) => version !== live.version);
  const isOtherEpoch = base.epoch !== undefined && base.epoch !== live.epoch;
  if (stale.length === 0 && !isOtherEpoch) return;
  const baseVersion = Math.min(live.version, ...stale);
  const newer = await tx.version.findMany({
    where: { number: { gt: baseVersion, lte: live.version } },
    orderBy: { number: "desc" },
    take: VERSIONS_TOLD,
    select: { number: true, actor: true, createdAt: true, message: true },
  });
  throw new AppError(
    "conflict",
    `version ${live.version} is live, this change is based on version ${stale[0] ?? baseVersion}: look at what was published since, then rebase`,
    {
      details: {
        reason: "stale",
        current: live.version,
        baseVersion,
        published: newer.map((row) => ({
          version: row.number,
          actor: actorColumn(row.actor),
          at: row.createdAt.toISOString(),
          message: row.message,
        })),
        conflicts: await conflictsOf(tx, { live, baseVersion, edits: base.edits }),
      },
    },
  );
}

/** Objects that the edits change and that are not in the live version what they were in the base. */
export async function conflictsOf(
  reader: Reader,
  {
    live,
    baseVersion,
    edits,
  }: { live: LoadedVersion; baseVersion: number; edits: readonly DraftEdit[] },
): Promise<Conflict[]> {
  if (edits.length === 0 || baseVersion === live.version || baseVersion < 1) return [];
  const base = await loadVersion(reader, baseVersion);
  return edits.flatMap((edit): Conflict[] => {
    const before = findObject(base.content, edit)?.body ?? null;
    const theirs = findObject(live.content, edit)?.body ?? null;
    if (revisionHash(before) === revisionHash(theirs)) return [];
    const mine = edit.op === "put" ? edit.object.body : null;
    if (revisionHash(mine) === revisionHash(theirs)) return [];
    return [{ kind: edit.kind, id: edit.id, base: before, mine, theirs }];
  });
}
