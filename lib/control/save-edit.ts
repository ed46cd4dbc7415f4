import type { DraftWriteResult } from "@/lib/core/api/draft";
import { AppError } from "@/lib/core/errors";
import { revisionHash } from "@/lib/core/revision-hash";
import { findObject, objectName } from "@/lib/core/ruleset-objects";
import { inTransaction, type Tx } from "@/lib/db/client";
import { type DraftRow, ensureDraft, lockDraft } from "@/lib/db/drafts";
import { jsonColumn } from "@/lib/db/json";
import type { Ctx } from "./context";
import { draftChanges } from "./describe-draft";
import { applyEdits, type DraftEdit, editsOf, isAs, type StoredEdit } from "./draft-edits";
import { draftItemTag } from "./draft-item-tag";
import { draftOwner } from "./draft-owner";
import { findingsOf } from "./findings";
import { getLive, type LoadedVersion, loadVersion } from "./live-version";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";

/** What the caller saw of the object; what it does not say, it does not care for. */
type Seen = {
  /** The draft's save of it: 0 = not in the draft. */
  edit?: number | undefined;
  /** The version that it was read from: 0 = it was in none. */
  baseVersion?: number | undefined;
  /** Entity tags, of which one must be the object's; `*`: it must be there. */
  ifMatch?: readonly string[] | undefined;
  /** It must not be there. */
  isNew?: boolean | undefined;
};

type Save = {
  /** What the object shall be. */
  edit: DraftEdit;
  seen: Seen;
  /** Refuses what must not be in a draft, with what is there to judge by. */
  guard?: (tx: Tx, base: LoadedVersion, others: readonly StoredEdit[]) => void | Promise<void>;
};

/** Puts one edit into the caller's draft, making it on the live version; an edit that changes nothing leaves it. */
export async function saveEdit(ctx: Ctx, { edit, seen, guard }: Save): Promise<DraftWriteResult> {
  const owner = draftOwner(ctx.actor);
  return inTransaction(ctx.db, async (tx) => {
    const found = await lockDraft(tx, owner);
    const base = await (found === null ? getLive(tx) : loadVersion(tx, found.baseVersion));
    requireTag({ edit, seen, base, draft: found });
    requireEdit(found, { edit, seen });
    await requireSameBase(tx, { edit, seen, base, draft: found });
    const others = editsOf(found).filter((other) => objectName(other) !== objectName(edit));
    await guard?.(tx, base, others);
    if (isAs(base, edit)) {
      await dropItem(tx, found, edit);
      return { baseVersion: base.version, change: null, lint: [] };
    }
    const { epoch, version } = base;
    const draft =
      found ?? (await ensureDraft(tx, { id: randomId(), owner, base: { epoch, version } }));
    const saved = await putItem(ctx, tx, draft, edit);
    if (heldItem(found, edit) === undefined) await recordFirstEdit(ctx, tx, base, edit);
    const edits = [...others, saved];
    const [change] = draftChanges(base.content, edits).slice(-1);
    const findings = await findingsOf(ctx, tx, applyEdits(base.content, edits));
    const lint = findings.filter((finding) => objectName(finding) === objectName(edit));
    return { baseVersion: base.version, change: change ?? null, lint };
  });
}

/** Throws when the draft's object was saved since the caller read it. */
export function requireEdit(
  draft: DraftRow | null,
  { edit, seen }: { edit: DraftEdit | { kind: string; id: string }; seen: Pick<Seen, "edit"> },
): void {
  if (seen.edit === undefined) return;
  const held = heldItem(draft, edit);
  const current = held?.edit ?? 0;
  if (current === seen.edit) return;
  const what = `${edit.kind} ${edit.id}`;
  throw new AppError(
    "conflict",
    current === 0
      ? `${what} is not in your draft any more: it was reverted, discarded or published since you opened it`
      : `${what} was saved elsewhere since you opened it (edit ${current}, yours is ${seen.edit})`,
    {
      details: {
        reason: "edit",
        edit: current,
        theirs: held?.body ?? null,
        mine: "object" in edit ? edit.object.body : null,
      },
    },
  );
}

/** If-Match and If-None-Match of an HTTP caller. */
function requireTag({ edit, seen: { ifMatch, isNew }, base, draft }: Stood): void {
  if (ifMatch === undefined && isNew !== true) return;
  const held = heldItem(draft, edit);
  const body = held === undefined ? (findObject(base.content, edit)?.body ?? null) : held.body;
  const what = `${edit.kind} ${edit.id}`;
  const refuse = (message: string) => {
    throw new AppError("conflict", message, {
      details: { reason: "precondition", edit: held?.edit ?? 0, theirs: body },
    });
  };
  if (isNew === true && body !== null) refuse(`${what} is there already`);
  if (ifMatch === undefined) return;
  if (body === null) refuse(`${what} is not there any more`);
  const tag = draftItemTag({ edit: held?.edit ?? 0, body });
  if (!ifMatch.includes("*") && !ifMatch.includes(tag))
    refuse(`${what} changed since you read it: its tag is ${tag}, got ${ifMatch.join(", ")}`);
}

type Stood = { edit: DraftEdit; seen: Seen; base: LoadedVersion; draft: DraftRow | null };

/** Throws when the draft stands on a newer version than the caller saw, and that has the object otherwise. */
async function requireSameBase(tx: Tx, { edit, seen, base, draft }: Stood): Promise<void> {
  const { baseVersion } = seen;
  if (baseVersion === undefined || baseVersion >= base.version || isAs(base, edit)) return;
  const before =
    baseVersion === 0 ? null : findObject((await loadVersion(tx, baseVersion)).content, edit);
  const now = findObject(base.content, edit);
  if (revisionHash(before?.body ?? null) === revisionHash(now?.body ?? null)) return;
  const held = heldItem(draft, edit);
  const what = `${edit.kind} ${edit.id}`;
  throw new AppError(
    "conflict",
    baseVersion === 0
      ? `${what} is there already, in version ${base.version}`
      : `${what} was published otherwise since you opened it (version ${base.version}, yours is of ${baseVersion})`,
    {
      details: {
        reason: "base",
        edit: held?.edit ?? 0,
        baseVersion: base.version,
        theirs: held === undefined ? (now?.body ?? null) : held.body,
        mine: edit.op === "put" ? edit.object.body : null,
      },
    },
  );
}

/** Once per object: what it became after more saves is in the row of the publish, or of the discard. */
async function recordFirstEdit(ctx: Ctx, tx: Tx, base: LoadedVersion, edit: DraftEdit) {
  const { kind, id } = edit;
  const before = findObject(base.content, edit)?.body;
  const verb =
    edit.op === "delete" ? "took out" : before === undefined ? "added" : "began to change";
  await recordAudit(tx, ctx.actor, {
    action: "draft.edit",
    kind: "draft",
    objectId: objectName(edit),
    sentence: `${ctx.actor.name} ${verb} ${kind === id ? kind : `${kind} ${id}`} in a draft on version ${base.version}`,
    before,
    after: edit.op === "put" ? edit.object.body : undefined,
  });
}

function heldItem(draft: DraftRow | null, { kind, id }: { kind: string; id: string }) {
  return draft?.items.find((item) => item.kind === kind && item.objectId === id);
}

async function putItem(ctx: Ctx, tx: Tx, draft: DraftRow, edit: DraftEdit): Promise<StoredEdit> {
  const updatedAt = new Date(ctx.clock.nowMs());
  const { kind, id: objectId, op } = edit;
  const body = edit.op === "put" ? { body: jsonColumn(edit.object.body) } : {};
  const held = heldItem(draft, edit);
  const key = { draftId: draft.id, kind, objectId };
  if (held !== undefined) await tx.draftItem.delete({ where: { draftId_kind_objectId: key } });
  const number = (held?.edit ?? 0) + 1;
  await tx.draftItem.create({ data: { ...key, op, ...body, edit: number, updatedAt } });
  await tx.draft.update({ where: { id: draft.id }, data: { updatedAt } });
  return { ...edit, edit: number, updatedAt };
}

/** Takes the object out of the draft; a draft without changes ends. */
export async function dropItem(
  tx: Tx,
  draft: DraftRow | null,
  { kind, id }: { kind: string; id: string },
): Promise<void> {
  if (draft === null) return;
  await tx.draftItem.deleteMany({ where: { draftId: draft.id, kind, objectId: id } });
  const left = await tx.draftItem.count({ where: { draftId: draft.id } });
  if (left === 0) await tx.draft.delete({ where: { id: draft.id } });
}
