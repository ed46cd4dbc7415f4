import { isParameter, patternSegments } from "./route-template";

/** Whether a canonical path fits; `segments` gives its parts when a pattern needs them. */
export type RouteMatcher = (path: string, segments: () => readonly string[]) => boolean;

/**
 * Globs on the canonical path: `*` and `:name` are one segment, `**` any number, none included, so
 * `/v1/links/**` fits `/v1/links` too. A star inside a segment is that character. Null when there are no globs.
 */
export function compileGlobs(
  globs: readonly string[] | undefined,
  options: { caseInsensitive?: boolean } = {},
): RouteMatcher | null {
  if (globs === undefined) return null;
  const caseInsensitive = options.caseInsensitive === true;
  return compilePatterns(globs.map((glob) => patternSegments(glob, caseInsensitive)));
}

/** The same of globs that are split already. */
export function compilePatterns(globs: readonly (readonly string[])[]): RouteMatcher {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  const patterns: (readonly string[])[] = [];
  for (const segments of globs) {
    const wild = segments.findIndex((segment) => segment === "**" || isParameter(segment));
    if (wild === -1) exact.add(`/${segments.join("/")}`);
    else if (wild === segments.length - 1 && segments[wild] === "**") {
      prefixes.push(
        segments
          .slice(0, -1)
          .map((segment) => `/${segment}`)
          .join(""),
      );
    } else patterns.push(segments);
  }
  return (path, segments) => {
    // `*`, the target of a server-wide OPTIONS, is no path.
    if (!path.startsWith("/")) return false;
    if (exact.has(path)) return true;
    for (const prefix of prefixes) if (isUnder(path, prefix)) return true;
    for (const pattern of patterns) if (fits(pattern, segments())) return true;
    return false;
  };
}

/** The parts of a canonical path: `/` has none. */
export function pathSegments(path: string): string[] {
  return path.length <= 1 ? [] : path.slice(1).split("/");
}

function isUnder(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}

/** Greedy, going back only to the last `**`: at most pattern × path steps, however many `**` there are. */
function fits(pattern: readonly string[], path: readonly string[]): boolean {
  let p = 0;
  let s = 0;
  let lastRest = -1;
  let retryFrom = 0;
  while (s < path.length) {
    const wanted = pattern[p];
    if (wanted === "**") {
      lastRest = p;
      retryFrom = s;
      p += 1;
    } else if (wanted !== undefined && (isParameter(wanted) || wanted === path[s])) {
      p += 1;
      s += 1;
    } else if (lastRest >= 0) {
      retryFrom += 1;
      s = retryFrom;
      p = lastRest + 1;
    } else return false;
  }
  while (pattern[p] === "**") p += 1;
  return p === pattern.length;
}
