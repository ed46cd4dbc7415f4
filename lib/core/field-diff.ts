import type { FieldDiff } from "./api/change";
import { shown } from "./parse";
import { canonicalJson } from "./revision-hash";

type Emphasis = { direction?: FieldDiff["direction"]; loud?: boolean };

export function fieldDiff(
  path: string,
  [before, after]: readonly [unknown, unknown],
  sentence: string,
  { direction = "other", loud = false }: Emphasis = {},
): FieldDiff {
  return { path, before: before ?? null, after: after ?? null, sentence, loud, direction };
}

export function isEqual(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson({ a }) === canonicalJson({ a: b });
}

/** Every leaf that differs, as `path: before → after`; lists are leaves. For objects without meaning of their own. */
export function leafDiffs(before: unknown, after: unknown, path = ""): FieldDiff[] {
  if (isEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) {
    return [
      fieldDiff(path, [before, after], `${path}: ${valueWords(before)} → ${valueWords(after)}`),
    ];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) =>
    leafDiffs(
      ownValue(before, name),
      ownValue(after, name),
      path === "" ? name : `${path}.${name}`,
    ),
  );
}

/** A value in a sentence: text in quotes, short lists by their items. */
export function valueWords(value: unknown): string {
  if (Array.isArray(value) && value.length > 0 && value.length <= 4) {
    return value.map((item) => (typeof item === "string" ? item : shown(item))).join(", ");
  }
  if (value === true) return "on";
  if (value === false) return "off";
  return value === "" ? "empty" : shown(value);
}

type SetWords = {
  path: string;
  /** `methods` */
  label: string;
  /** What an absent list stands for: `every method`. */
  all: string;
};

/**
 * A condition that lists what it accepts; absent accepts everything. What accepts more reaches more requests,
 * so it is stricter for clients.
 */
export function setDiff(
  { path, label, all }: SetWords,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): FieldDiff[] {
  if (isEqual(before, after)) return [];
  const values = [before, after] as const;
  if (before === undefined || after === undefined) {
    const words = (items: readonly string[] | undefined) =>
      items === undefined ? all : `only ${valueWords(items)}`;
    const direction = before === undefined ? "looser" : "stricter";
    return [fieldDiff(path, values, `${label}: ${words(before)} → ${words(after)}`, { direction })];
  }
  const added = after.filter((item) => !before.includes(item));
  const removed = before.filter((item) => !after.includes(item));
  const parts = [
    ...(added.length === 0 ? [] : [`adds ${valueWords(added)}`]),
    ...(removed.length === 0 ? [] : [`removes ${valueWords(removed)}`]),
  ];
  if (parts.length === 0) {
    return [fieldDiff(path, values, `${label}: the same in another order`, { direction: "same" })];
  }
  const direction = parts.length === 2 ? "mixed" : added.length > 0 ? "stricter" : "looser";
  return [fieldDiff(path, values, `${label}: ${parts.join(", ")}`, { direction })];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownValue(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
