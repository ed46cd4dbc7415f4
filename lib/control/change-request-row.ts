import { BecauseSchema, type ChangeRequestRow } from "@/lib/core/api/change-requests";
import { diffContents } from "@/lib/core/diff";
import { AppError } from "@/lib/core/errors";
import type { Reader } from "@/lib/db/client";
import { findDraft } from "@/lib/db/drafts";
import type { ChangeRequest } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";
import { authorOf, contentHash } from "./approval-due";
import type { Actor } from "./context";
import { applyEdits, editsOf } from "./draft-edits";
import { getInstallation, type LoadedVersion, loadVersion } from "./live-version";
import { can, refusalsOf } from "./permission";
import { frozenEdits } from "./schedule-row";

const STATES = ["open", "approved", "rejected", "withdrawn"] as const;

export async function changeRequestRow(
  reader: Reader,
  row: ChangeRequest,
  actor: Actor,
): Promise<ChangeRequestRow> {
  const base = await loadVersion(reader, row.baseVersion);
  const state = STATES.find((each) => each === row.state) ?? "withdrawn";
  return {
    id: row.id,
    actor: actorColumn(row.actor),
    message: row.message,
    baseVersion: row.baseVersion,
    contentHash: row.contentHash,
    because: BecauseSchema.parse(row.because),
    acknowledgeGaps: row.acknowledgeGaps,
    acknowledgeRadius: row.acknowledgeRadius,
    state,
    outdated: state === "open" ? await outdatedWhy(reader, row, base) : null,
    refused: refusedWhy(row, actor),
    createdAt: row.createdAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decidedBy: row.decidedBy === null ? null : actorColumn(row.decidedBy),
    reason: row.reason,
    version: row.version,
    changes: diffContents(base.content, applyEdits(base.content, frozenEdits(row))),
  };
}

/** Why the request is not what its author wants any more, or not on what is live. */
export async function outdatedWhy(
  reader: Reader,
  row: ChangeRequest,
  base: LoadedVersion,
): Promise<string | null> {
  const { epoch, version } = await getInstallation(reader);
  if (version !== row.baseVersion || epoch !== row.baseEpoch)
    return `version ${version} is live, this is based on version ${row.baseVersion}: it must be rebased and asked for again`;
  if (row.draftOwner === null) return null;
  const edits = editsOf(await findDraft(reader, row.draftOwner));
  if (edits.length > 0 && contentHash(applyEdits(base.content, edits)) === row.contentHash)
    return null;
  return "its draft was edited since: it must be asked for again";
}

/** Null: the actor may approve it. */
export function refusedWhy(row: Pick<ChangeRequest, "authors">, actor: Actor): string | null {
  if (actor.type !== "user") return "only a person approves";
  if (!can(actor, "publish")) return refusalsOf({ actor }).publish ?? "that takes role publisher";
  return row.authors.includes(authorOf(actor))
    ? "a change is approved by somebody else than its author"
    : null;
}

export async function getStoredRequest(reader: Reader, id: string): Promise<ChangeRequest> {
  const row = await reader.changeRequest.findUnique({ where: { id } });
  if (row === null) throw new AppError("not_found", `there is no change request ${id}`);
  return row;
}

/** Throws `conflict` for one that was decided. */
export function requireOpen({ id, state }: Pick<ChangeRequest, "id" | "state">): void {
  if (state === "open") return;
  throw new AppError("conflict", `change request ${id} was ${state} already`, {
    details: { reason: "decided", state },
  });
}
