import { canonicalPath } from "./canonical-path";
import { pathSegments } from "./route-glob";
import { compileConditions, type RouteCondition } from "./rule-conditions";
import type { RulesetIndex } from "./ruleset-index";

const TEXTS_MAX = 100_000;
/** Beyond so many lists of globs it costs less to ask the ruleset about each path anew. */
const GLOBS_MAX = 64;

/** Paths that no rule of a ruleset can tell apart, by the first that was seen. */
export type PathClass = { id: number; path: string; route: string };

/** Request targets to classes; the texts that were seen last are known without a look at the ruleset. */
export function createPathClasses(
  ruleset: RulesetIndex,
): (target: string, route: string | undefined) => PathClass {
  const caseInsensitive = ruleset.settings.caseInsensitivePaths;
  const globs = globsOf(ruleset, caseInsensitive);
  const classes = new Map<string, PathClass>();
  const byRoute = new Map<string | undefined, Map<string, PathClass>>();
  let texts = 0;
  let made = 0;

  function classify(path: string, route: string): PathClass {
    const signature = [route, globs === null ? path : fitting(globs, path)].join("\n");
    let found = classes.get(signature);
    if (found === undefined) {
      if (classes.size >= TEXTS_MAX) classes.clear();
      made += 1;
      found = { id: made, path: flat(path), route: flat(route) };
      classes.set(signature, found);
    }
    return found;
  }

  return (target, route) => {
    let known = byRoute.get(route);
    if (known === undefined) {
      known = new Map();
      byRoute.set(route, known);
    }
    const query = target.indexOf("?");
    const text = query === -1 ? target : target.slice(0, query);
    const held = known.get(text);
    if (held !== undefined) return held;
    const path = canonicalPath(text, { caseInsensitive });
    const found = classify(path, route ?? ruleset.routeOf(path));
    if (texts >= TEXTS_MAX) {
      byRoute.clear();
      byRoute.set(route, known);
      known.clear();
      texts = 0;
    }
    texts += 1;
    known.set(flat(text), found);
    return found;
  };
}

function fitting(globs: readonly RouteCondition[], path: string): string {
  const segments = pathSegments(path);
  let bits = path.startsWith("/") ? "/" : path;
  for (const { fits } of globs) bits += fits(path, () => segments) ? "1" : "0";
  return bits;
}

/** What the rules ask of paths, each list of globs once; null when those are too many. */
function globsOf({ rules }: RulesetIndex, caseInsensitive: boolean): RouteCondition[] | null {
  const byText = new Map<string, RouteCondition>();
  for (const { rule } of rules) {
    const text = JSON.stringify(rule.match.routes ?? null);
    if (byText.has(text)) continue;
    const { routes } = compileConditions(rule.match, caseInsensitive);
    if (routes !== null) byText.set(text, routes);
    if (byText.size > GLOBS_MAX) return null;
  }
  return [...byText.values()];
}

/** A copy that does not keep alive the line, or the megabyte of lines, that a text was cut from. */
export function flat(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}
