import type { LintFinding } from "@/lib/core/api/change";
import type { Draft, DraftChange } from "@/lib/core/api/draft";
import { diffContents } from "@/lib/core/diff";
import { type Content, findObject, objectName } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import { findDraft } from "@/lib/db/drafts";

import type { Ctx } from "./context";
import { applyEdits, editsOf, type StoredEdit } from "./draft-edits";
import { draftOwner } from "./draft-owner";
import { findingsOf } from "./findings";
import { getLive, loadVersion } from "./live-version";
import { evidenceNeeded } from "./missing-evidence";

/** The caller's draft with everything that a review needs; without one, the live version and no changes. */
export async function describeDraft(ctx: Ctx, reader: Reader): Promise<Draft> {
  const draft = await findDraft(reader, draftOwner(ctx.actor));
  const live = await getLive(reader);
  if (draft === null) {
    return {
      baseVersion: live.version,
      currentVersion: live.version,
      stale: false,
      createdAt: null,
      updatedAt: null,
      changes: [],
      lint: [],
      evidence: [],
    };
  }
  const base = await loadVersion(reader, draft.baseVersion);
  const edits = editsOf(draft);
  const after = applyEdits(base.content, edits);
  return {
    baseVersion: base.version,
    currentVersion: live.version,
    stale: base.version !== live.version || base.epoch !== live.epoch,
    createdAt: draft.createdAt.toISOString(),
    updatedAt: draft.updatedAt.toISOString(),
    changes: draftChanges(base.content, edits),
    lint: touched(await findingsOf(ctx, reader, after), edits),
    evidence: await evidenceNeeded(ctx, reader, {
      live,
      content: applyEdits(live.content, edits),
    }),
  };
}

export function draftChanges(base: Content, edits: readonly StoredEdit[]): DraftChange[] {
  const objects = diffContents(base, applyEdits(base, edits));
  const changes = new Map(objects.map((change) => [objectName(change), change]));
  return edits.map((edit) => {
    const change = changes.get(objectName(edit));
    const { op = "changed", sentence = "nothing changes", loud = false } = change ?? {};
    return {
      kind: edit.kind,
      id: edit.id,
      op: edit.op,
      edit: edit.edit,
      updatedAt: edit.updatedAt.toISOString(),
      before: findObject(base, edit)?.body ?? null,
      after: edit.op === "put" ? edit.object.body : null,
      change: { op, sentence, loud, countersRestart: change?.countersRestart ?? false },
      diff: change?.diff ?? [],
    };
  });
}

/** What is the draft's: errors anywhere, since they stop its publish, and what is said of the objects it changes. */
function touched(findings: readonly LintFinding[], edits: readonly StoredEdit[]): LintFinding[] {
  const names = new Set(edits.map(objectName));
  return findings.filter((finding) => finding.level === "error" || names.has(objectName(finding)));
}
