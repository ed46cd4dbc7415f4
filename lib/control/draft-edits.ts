import { type ObjectKind, ObjectKindSchema } from "@/lib/core/api/change";
import { revisionHash } from "@/lib/core/revision-hash";
import {
  type Content,
  findObject,
  isRemovable,
  type RemovableKind,
  type RulesetObject,
  withObject,
  withoutObject,
} from "@/lib/core/ruleset-objects";
import type { DraftRow } from "@/lib/db/drafts";
import { parseObject } from "./parse-object";

/** One object as somebody wants it. */
export type DraftEdit =
  | { op: "put"; kind: ObjectKind; id: string; object: RulesetObject }
  | { op: "delete"; kind: RemovableKind; id: string };

export type StoredEdit = DraftEdit & { edit: number; updatedAt: Date };

/** A draft's rows, checked again: they may be older than this build. */
export function editsOf(draft: DraftRow | null): StoredEdit[] {
  return (draft?.items ?? []).map((item): StoredEdit => {
    const kind = ObjectKindSchema.parse(item.kind);
    const { objectId: id, edit, updatedAt } = item;
    if (item.op === "delete" && isRemovable(kind))
      return { op: "delete", kind, id, edit, updatedAt };
    return {
      op: "put",
      kind,
      id,
      edit,
      updatedAt,
      object: parseObject({ kind, id, body: item.body }),
    };
  });
}

export function applyEdits(content: Content, edits: readonly DraftEdit[]): Content {
  return edits.reduce(
    (so, edit) => (edit.op === "put" ? withObject(so, edit.object) : withoutObject(so, edit)),
    content,
  );
}

/** The version has the object as the edit wants it. */
export function isAs({ content }: { content: Content }, edit: DraftEdit): boolean {
  const held = findObject(content, edit);
  if (edit.op === "delete") return held === null;
  return held !== null && revisionHash(held.body) === revisionHash(edit.object.body);
}
