import type { LintFinding } from "./api/change";
import { OTHER_ROUTE } from "./counts";
import { compileGlobs, pathSegments } from "./route-glob";
import { compileRoutes, isParameter, patternSegments } from "./route-template";

type Found = Pick<LintFinding, "level" | "code" | "path" | "message">;

/** What is odd about the route templates themselves. */
export function lintRoutes(templates: readonly string[]): Found[] {
  const shapes = new Map<string, string>();
  return templates.flatMap((template, i) => {
    const path = String(i);
    const segments = patternSegments(template, false);
    const found = starFindings(template, path);
    if (segments.slice(0, -1).includes("**")) {
      found.push({
        level: "error",
        code: "template-rest-not-last",
        path,
        message: `${template}: ** in a template must be its last segment`,
      });
    }
    const shape = segments.map((segment) => (isParameter(segment) ? "*" : segment)).join("/");
    const first = shapes.get(shape);
    if (first === undefined) shapes.set(shape, template);
    else {
      found.push({
        level: "warning",
        code: "template-twice",
        path,
        message: `${template} fits the same paths as ${first}, which names them`,
      });
    }
    return found;
  });
}

/** The templates of a ruleset, made ready once for the globs of all its rules. */
export type KnownRoutes = {
  count: number;
  routeOf(path: string): string;
  samples: readonly { path: string; segments: readonly string[] }[];
};

export function knownRoutes(templates: readonly string[]): KnownRoutes {
  const paths = [...new Set(templates.flatMap(samplePaths))];
  return {
    count: templates.length,
    routeOf: compileRoutes(templates),
    samples: paths.map((path) => ({ path, segments: pathSegments(path) })),
  };
}

/** Globs of a rule that no known template can fit: their requests are counted under route `other`. */
export function lintGlobs(globs: readonly string[], known: KnownRoutes, path: string): Found[] {
  return globs.flatMap((glob, i) => {
    const found = starFindings(glob, `${path}.${i}`);
    if (known.count > 0 && !isKnown(glob, known)) {
      found.push({
        level: "warning",
        code: "glob-without-template",
        path: `${path}.${i}`,
        message: `${glob} fits none of the route templates: a misspelling, or a route that reports name "${OTHER_ROUTE}"`,
      });
    }
    return found;
  });
}

function isKnown(glob: string, { routeOf, samples }: KnownRoutes): boolean {
  if (samplePaths(glob).some((path) => routeOf(path) !== OTHER_ROUTE)) return true;
  const fits = compileGlobs([glob]);
  return samples.some(({ path, segments }) => fits?.(path, () => segments) === true);
}

/** Paths that a pattern fits, with and without something in the place of `**`. */
function samplePaths(pattern: string): string[] {
  const segments = patternSegments(pattern, false);
  const without = segments.filter((segment) => segment !== "**");
  return [segments, without].map(
    (parts) =>
      `/${parts.map((part) => (isParameter(part) || part === "**" ? "-" : part)).join("/")}`,
  );
}

function starFindings(pattern: string, path: string): Found[] {
  const odd = patternSegments(pattern, false).find(
    (segment) => segment.includes("*") && segment !== "*" && segment !== "**",
  );
  if (odd === undefined) return [];
  return [
    {
      level: "warning",
      code: "star-inside-segment",
      path,
      message: `${pattern}: the star in "${odd}" stands for itself; a wildcard takes a whole segment`,
    },
  ];
}
