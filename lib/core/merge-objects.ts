import { canonicalJson } from "./revision-hash";

export type Merge =
  | { ok: true; merged: unknown }
  /** Fields that both sides changed, to different ends. */
  | { ok: false; paths: string[] };

/**
 * What base becomes with both sides' changes, if no field was changed by both: objects field by field, everything else
 * (lists, numbers) as one. A field that one side removed is gone.
 */
export function mergeObjects(base: unknown, mine: unknown, theirs: unknown): Merge {
  const paths: string[] = [];
  const merged = mergeAt("", { base, mine, theirs }, paths);
  return paths.length === 0 ? { ok: true, merged } : { ok: false, paths };
}

type Sides = { base: unknown; mine: unknown; theirs: unknown };

function mergeAt(path: string, { base, mine, theirs }: Sides, paths: string[]): unknown {
  if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  if (!isRecord(mine) || !isRecord(theirs)) {
    paths.push(path);
    return mine;
  }
  const from = isRecord(base) ? base : {};
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const fields = keys.map((key): [string, unknown] => [
    key,
    mergeAt(
      path === "" ? key : `${path}.${key}`,
      { base: own(from, key), mine: own(mine, key), theirs: own(theirs, key) },
      paths,
    ),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson({ value: a }) === canonicalJson({ value: b });
}
