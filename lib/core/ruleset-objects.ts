import type { ObjectKind } from "./api/change";
import type { Candidate } from "./candidate";
import { LIST_NAMES, type ListName, type Lists } from "./list-entry";
import { ANONYMOUS_PLAN, type Plan } from "./plan";
import type { Rule } from "./rule";
import type { Body, Settings } from "./ruleset";

/** What people edit: a version's body without revision numbers and slots. */
export type Content = {
  settings: Settings;
  lists: Lists;
  routes: string[];
  plans: Plan[];
  rules: Rule[];
  /** At most one a rule, under the rule's id. */
  candidates: Candidate[];
};

/** One object of a ruleset: what has revisions, what a draft changes, what conflicts are about. */
export type RulesetObject =
  | { kind: "rule"; id: string; body: Rule }
  | { kind: "candidate"; id: string; body: Candidate }
  | { kind: "plan"; id: string; body: Plan }
  | { kind: "routes"; id: "routes"; body: string[] }
  | { kind: "lists"; id: ListName; body: Lists[ListName] }
  | { kind: "settings"; id: "settings"; body: Settings };

export function contentOf(body: Body): Content {
  const { settings, lists, routes, plans } = body;
  return {
    settings,
    lists,
    routes,
    plans,
    rules: body.rules.flatMap(({ live }) => live?.rule ?? []),
    candidates: body.rules.flatMap(({ id, candidate, share = 0 }) =>
      candidate === undefined ? [] : [{ id, share, rule: candidate.rule }],
    ),
  };
}

/** In the order of a body: settings, lists, routes, plans, rules, candidates. */
export function objectsOf(content: Content): RulesetObject[] {
  return [
    { kind: "settings", id: "settings", body: content.settings },
    ...LIST_NAMES.map((id): RulesetObject => ({ kind: "lists", id, body: content.lists[id] })),
    { kind: "routes", id: "routes", body: content.routes },
    ...content.plans.map((body): RulesetObject => ({ kind: "plan", id: body.id, body })),
    ...content.rules.map((body): RulesetObject => ({ kind: "rule", id: body.id, body })),
    ...content.candidates.map((body): RulesetObject => ({ kind: "candidate", id: body.id, body })),
  ];
}

/** Names an object among all: `rule per-key-rate`. */
export function objectName({ kind, id }: { kind: ObjectKind; id: string }): string {
  return `${kind} ${id}`;
}

export function findObject(
  content: Content,
  { kind, id }: { kind: ObjectKind; id: string },
): RulesetObject | null {
  return named(content, kind, id) ?? null;
}

function named(content: Content, kind: ObjectKind, id: string): RulesetObject | undefined {
  if (kind === "rule") {
    const body = content.rules.find((rule) => rule.id === id);
    return body && { kind, id, body };
  }
  if (kind === "candidate") {
    const body = content.candidates.find((candidate) => candidate.id === id);
    return body && { kind, id, body };
  }
  if (kind === "plan") {
    const body = content.plans.find((plan) => plan.id === id);
    return body && { kind, id, body };
  }
  return objectsOf({ ...content, plans: [], rules: [], candidates: [] }).find(
    (object) => object.kind === kind && object.id === id,
  );
}

/** The content with this object in place of the one it names, or added. */
export function withObject(content: Content, object: RulesetObject): Content {
  switch (object.kind) {
    case "rule":
      return { ...content, rules: replaced(content.rules, object.body) };
    case "candidate":
      return { ...content, candidates: replaced(content.candidates, object.body) };
    case "plan":
      return { ...content, plans: replaced(content.plans, object.body) };
    case "routes":
      return { ...content, routes: object.body };
    case "lists":
      return { ...content, lists: { ...content.lists, [object.id]: object.body } };
    case "settings":
      return { ...content, settings: object.body };
  }
}

/** What may be taken out of a ruleset. */
export type RemovableKind = "rule" | "candidate" | "plan";

export function isRemovable(kind: ObjectKind): kind is RemovableKind {
  return kind === "rule" || kind === "candidate" || kind === "plan";
}

/** The content without this object; nothing happens when it is not there. A rule takes its candidate with it. */
export function withoutObject(
  content: Content,
  { kind, id }: { kind: RemovableKind; id: string },
): Content {
  const without = <T extends { id: string }>(items: readonly T[]) =>
    items.filter((item) => item.id !== id);
  if (kind === "plan") return { ...content, plans: without(content.plans) };
  const candidates = without(content.candidates);
  return kind === "candidate"
    ? { ...content, candidates }
    : { ...content, candidates, rules: without(content.rules) };
}

/** One order for one content, so that its bytes, and their hash, do not depend on who edited what first. */
export function inOrder(content: Content): Content {
  return {
    ...content,
    plans: [...content.plans].sort((a, b) => a.rank - b.rank || compare(a.id, b.id)),
    rules: [...content.rules].sort((a, b) => compare(a.id, b.id)),
    candidates: [...content.candidates].sort((a, b) => compare(a.id, b.id)),
  };
}

function replaced<T extends { id: string }>(items: readonly T[], item: T): T[] {
  const at = items.findIndex(({ id }) => id === item.id);
  return at === -1 ? [...items, item] : items.map((old, i) => (i === at ? item : old));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Every plan that a client may have, keyless ones included. */
export function planIds({ plans }: Pick<Content, "plans">): string[] {
  return [...plans.map(({ id }) => id), ANONYMOUS_PLAN];
}
