export type Path = readonly (string | number)[];

/** The value at a path of a JSON object, undefined where nothing is. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return Reflect.get(value, key);
  }, root);
}

/** A copy with the value put there; undefined takes the key away. Nothing else is touched. */
export function withValueAt(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const next = withValueAt(valueAt(root, [key]), rest, value);
  if (Array.isArray(root)) return root.map((item, i) => (i === key ? next : item));
  const kept = Object.entries(typeof root === "object" && root !== null ? root : {});
  const name = String(key);
  if (next === undefined) return Object.fromEntries(kept.filter(([each]) => each !== name));
  return kept.some(([each]) => each === name)
    ? Object.fromEntries(kept.map(([each, old]) => [each, each === name ? next : old]))
    : Object.fromEntries([...kept, [name, next]]);
}

export function pathText(path: Path): string {
  return path.map(String).join(".");
}
