import { LOUD_FACTOR, times } from "./amount-compare";
import type { FieldDiff } from "./api/change";
import { fieldDiff, isEqual } from "./field-diff";
import { costWords } from "./limit-words";
import type { Cost } from "./rule";

/** What a request takes: the same for all, by route, or as a header says. */
export function costDiffs(before: Cost, after: Cost): FieldDiff[] {
  if (isEqual(before, after)) return [];
  if (typeof before === "number" && typeof after === "number") {
    return [costDiff("cost", "cost", before, after)];
  }
  const [from, to] = [byRoute(before), byRoute(after)];
  if (from === null || to === null) return [headerDiff(before, after)];
  const routes = [...new Set([...from.routes.keys(), ...to.routes.keys()])].sort();
  const changed = routes.flatMap((route) => {
    const costs = [
      from.routes.get(route) ?? from.default,
      to.routes.get(route) ?? to.default,
    ] as const;
    return from.routes.get(route) === to.routes.get(route)
      ? []
      : [costDiff(`cost.routes.${route}`, `cost on ${route}`, ...costs)];
  });
  const others =
    from.default === to.default
      ? []
      : [costDiff("cost.default", "cost elsewhere", from.default, to.default)];
  const all = [...changed, ...others];
  const sentence = `cost: ${costWords(before)}, written in another way`;
  return all.length > 0
    ? all
    : [fieldDiff("cost", [before, after], sentence, { direction: "same" })];
}

/** Null where a header decides. */
function byRoute(cost: Cost): { routes: Map<string, number>; default: number } | null {
  if (typeof cost === "number") return { routes: new Map(), default: cost };
  if ("header" in cost) return null;
  return { routes: new Map(Object.entries(cost.routes)), default: cost.default };
}

function costDiff(path: string, label: string, before: number, after: number): FieldDiff {
  if (before === after) {
    const sentence = `${label}: ${before}, written in another way`;
    return fieldDiff(path, [before, after], sentence, { direction: "same" });
  }
  const factor = Math.max(before / after, after / before);
  const direction = after > before ? "stricter" : "looser";
  const sentence = `${label} ${before} → ${after}: ${times(factor)} ${direction}`;
  return fieldDiff(path, [before, after], sentence, { direction, loud: factor >= LOUD_FACTOR });
}

function headerDiff(before: Cost, after: Cost): FieldDiff {
  const sentence = `cost: ${costWords(before)} → ${costWords(after)}`;
  return fieldDiff("cost", [before, after], sentence, { direction: "mixed" });
}
