import type { ChangeSummary, FieldDiff, ObjectChange, ObjectKind } from "./api/change";
import { isShared } from "./candidate";
import { candidateDiffs, candidateWords } from "./diff-candidate";
import { countersRestart } from "./diff-counting";
import { diffList } from "./diff-lists";
import { diffRule } from "./diff-rule";
import { diffSettings } from "./diff-settings";
import { fieldDiff, isEqual, leafDiffs } from "./field-diff";
import { limitSentence } from "./limit-sentence";
import { ListsSchema } from "./list-entry";
import type { Rule } from "./rule";
import { type Body, SettingsSchema } from "./ruleset";
import {
  type Content,
  contentOf,
  objectName,
  objectsOf,
  type RulesetObject,
} from "./ruleset-objects";

/** What `after` has that `before` has not, object by object: rules first, then plans, routes, lists, settings. */
export function diffContents(before: Content | null, after: Content): ObjectChange[] {
  const old = new Map(objectsOf(before ?? EMPTY).map((object) => [objectName(object), object]));
  const now = new Map(objectsOf(after).map((object) => [objectName(object), object]));
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changes = names.flatMap((name) => {
    const change = diffObject(old.get(name) ?? null, now.get(name) ?? null);
    return change === null ? [] : [change];
  });
  return changes.sort(
    (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.id < b.id ? -1 : 1),
  );
}

export function diffBodies(before: Body | null, after: Body): ObjectChange[] {
  return diffContents(before === null ? null : contentOf(before), contentOf(after));
}

/** One object's change; null when both states are equal, whatever the order of their fields. Both null: null. */
export function diffObject(
  before: RulesetObject | null,
  after: RulesetObject | null,
): ObjectChange | null {
  const either = after ?? before;
  if (either === null || isEqual(before?.body, after?.body)) return null;
  const common = {
    kind: either.kind,
    id: either.id,
    name: titleOf(either),
    before: before?.body ?? null,
    after: after?.body ?? null,
  };
  if (before === null || after === null) {
    const { sentence, loud } = before === null ? addedWords(either) : removedWords(either);
    const op = before === null ? "added" : "removed";
    const diff = [fieldDiff("", [common.before, common.after], sentence, { loud })];
    return { ...common, op, sentence, loud, countersRestart: false, diff };
  }
  const diff = fieldDiffs(before, after);
  return {
    ...common,
    op: "changed",
    sentence: `${objectWords(either)}: ${shortened(loudFirst(diff).map((one) => one.sentence))}`,
    loud: diff.some((one) => one.loud),
    countersRestart:
      before.kind === "rule" && after.kind === "rule" && countersRestart(before.body, after.body),
    diff,
  };
}

const SENTENCES_MAX = 5;

/** A version's changes in one line and a few sentences, the loud ones first. */
export function summariseChanges(changes: readonly ObjectChange[]): ChangeSummary {
  const count = (op: ObjectChange["op"]) => changes.filter((change) => change.op === op).length;
  return {
    added: count("added"),
    changed: count("changed"),
    removed: count("removed"),
    loud: changes.some((change) => change.loud),
    sentence: countsSentence(changes),
    sentences: loudFirst(changes)
      .slice(0, SENTENCES_MAX)
      .map((change) => change.sentence),
  };
}

const KINDS: readonly ObjectKind[] = ["rule", "candidate", "plan", "routes", "lists", "settings"];

const EMPTY: Content = {
  settings: SettingsSchema.parse({}),
  lists: ListsSchema.parse({}),
  routes: [],
  plans: [],
  rules: [],
  candidates: [],
};

function fieldDiffs(before: RulesetObject, after: RulesetObject): FieldDiff[] {
  if (before.kind === "rule" && after.kind === "rule") return diffRule(before.body, after.body);
  if (before.kind === "candidate" && after.kind === "candidate")
    return candidateDiffs(before.body, after.body);
  if (before.kind === "routes" && after.kind === "routes") {
    return routeDiffs(before.body, after.body);
  }
  if (before.kind === "lists" && after.kind === "lists") {
    return diffList(after.id, before.body, after.body);
  }
  if (before.kind === "settings" && after.kind === "settings") {
    return diffSettings(before.body, after.body);
  }
  return leafDiffs(before.body, after.body);
}

/** Templates added and removed; and when none is, their order is what differs. */
function routeDiffs(before: readonly string[], after: readonly string[]): FieldDiff[] {
  const old = new Set(before);
  const now = new Set(after);
  const diffs = [...new Set([...before, ...after])].sort().flatMap((name) => {
    if (old.has(name) && now.has(name)) return [];
    const values = [old.has(name) ? name : undefined, now.has(name) ? name : undefined] as const;
    return [
      fieldDiff(name, values, `${now.has(name) ? "adds" : "removes"} route template ${name}`),
    ];
  });
  if (diffs.length > 0) return diffs;
  const sentence = "every route template as before, in another order";
  return [fieldDiff("", [before, after], sentence, { direction: "same" })];
}

function addedWords(object: RulesetObject): { sentence: string; loud: boolean } {
  if (object.kind === "candidate") return candidateWords(object.body);
  if (object.kind !== "rule") return { sentence: `adds ${objectWords(object)}`, loud: false };
  const { mode } = object.body;
  const sentence = `adds ${objectWords(object)} in ${mode}: ${limitSentence(object.body)}`;
  return { sentence, loud: mode === "enforce" };
}

function removedWords(object: RulesetObject): { sentence: string; loud: boolean } {
  const sentence = `removes ${objectWords(object)}`;
  if (object.kind === "candidate") {
    return { sentence, loud: isShared(object.body.share) };
  }
  if (object.kind === "plan") {
    return { sentence: `${sentence}: its keys get each rule's default`, loud: true };
  }
  if (object.kind !== "rule") return { sentence, loud: false };
  return {
    sentence: `${sentence}, ${wasWords(object.body)}`,
    loud: object.body.mode === "enforce",
  };
}

function wasWords(rule: Rule): string {
  const was = {
    enforce: "which was enforced",
    shadow: "which was in shadow",
    off: "which was off",
  };
  return `${was[rule.mode]}: ${limitSentence(rule)}`;
}

function objectWords({ kind, id }: RulesetObject): string {
  if (kind === "routes" || kind === "settings") return kind;
  if (kind === "candidate") return `the candidate of rule ${id}`;
  return kind === "lists" ? `${id} list` : `${kind} ${id}`;
}

function titleOf(object: RulesetObject): string {
  if (object.kind === "rule" || object.kind === "plan") return object.body.name;
  if (object.kind === "candidate") return object.body.rule.name;
  return { routes: "Route templates", lists: `${object.id} list`, settings: "Settings" }[
    object.kind
  ];
}

function loudFirst<T extends { loud: boolean }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => Number(b.loud) - Number(a.loud));
}

function shortened(sentences: readonly string[]): string {
  const more = sentences.length - 2;
  const first = sentences.slice(0, 2).join("; ");
  return more > 0 ? `${first}; and ${more} more` : first;
}

/** `2 rules change, 1 plan is added` */
function countsSentence(changes: readonly ObjectChange[]): string {
  const parts = KINDS.flatMap((kind) =>
    (["changed", "added", "removed"] as const).flatMap((op) => {
      const count = changes.filter((change) => change.kind === kind && change.op === op).length;
      return count === 0 ? [] : [countWords(kind, op, count)];
    }),
  );
  return parts.length === 0 ? "nothing changes" : parts.join(", ");
}

function countWords(kind: ObjectKind, op: ObjectChange["op"], count: number): string {
  if (kind === "routes" || kind === "settings") return `${kind} change`;
  const noun = kind === "lists" ? "list" : kind;
  const subject = count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
  if (op === "changed") return `${subject} ${count === 1 ? "changes" : "change"}`;
  return `${subject} ${count === 1 ? "is" : "are"} ${op}`;
}
