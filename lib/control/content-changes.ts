import type { ChangeSummary, ObjectChange } from "@/lib/core/api/change";
import { revisionHash } from "@/lib/core/revision-hash";
import { type Content, objectName, objectsOf } from "@/lib/core/ruleset-objects";

/** TEMPORARY until lib/core/diff lands. */
export function changesOf(
  before: Content | null,
  after: Content,
): { objects: ObjectChange[]; summary: ChangeSummary } {
  const olds = new Map((before === null ? [] : objectsOf(before)).map((o) => [objectName(o), o]));
  const news = new Map(objectsOf(after).map((o) => [objectName(o), o]));
  const objects: ObjectChange[] = [];
  for (const name of new Set([...olds.keys(), ...news.keys()])) {
    const old = olds.get(name);
    const now = news.get(name);
    const some = now ?? old;
    if (some === undefined) continue;
    if (old && now && revisionHash(old.body) === revisionHash(now.body)) continue;
    const op = old === undefined ? "added" : now === undefined ? "removed" : "changed";
    objects.push({
      kind: some.kind,
      id: some.id,
      name: "name" in some.body ? String(some.body.name) : some.id,
      op,
      sentence: `${name} is ${op}`,
      loud: false,
      countersRestart: false,
      before: old?.body ?? null,
      after: now?.body ?? null,
      diff: [],
    });
  }
  const count = (op: string) => objects.filter((object) => object.op === op).length;
  return {
    objects,
    summary: {
      added: count("added"),
      changed: count("changed"),
      removed: count("removed"),
      loud: false,
      sentence: objects.map((object) => object.sentence).join(", "),
      sentences: objects.map((object) => object.sentence).slice(0, 5),
    },
  };
}
