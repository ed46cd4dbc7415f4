import { canonicalPath } from "./canonical-path";
import { OTHER_ROUTE } from "./counts";

type Node = {
  literals: Map<string, Node>;
  parameter: Node | null;
  /** Template of paths that end here. */
  template: string | null;
  /** Template of a `**` at the end: any number of further segments. */
  rest: string | null;
};

/**
 * Templates (`/v1/links/:id`, `/files/**`) to the function that names a canonical path's route: a literal beats
 * a parameter, both beat `**`, segment by segment; `other` when none fits. Of two templates of one shape the
 * first names it. Every node is visited at most once a lookup.
 */
export function compileRoutes(
  templates: readonly string[],
  options: { caseInsensitive?: boolean } = {},
): (path: string) => string {
  const root = newNode();
  for (const template of templates) add(root, template, options.caseInsensitive === true);
  return (path) => (path.startsWith("/") ? find(root, path, 1) : null) ?? OTHER_ROUTE;
}

/** A pattern's segments in canonical spelling; `:name` and `*` stay as they are. */
export function patternSegments(pattern: string, caseInsensitive: boolean): string[] {
  const ascii = pattern
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character));
  const path = canonicalPath(ascii, { caseInsensitive });
  return path === "/" ? [] : path.slice(1).split("/");
}

export function isParameter(segment: string): boolean {
  return segment === "*" || segment.startsWith(":");
}

function newNode(): Node {
  return { literals: new Map(), parameter: null, template: null, rest: null };
}

function add(root: Node, template: string, caseInsensitive: boolean): void {
  const segments = patternSegments(template, caseInsensitive);
  const isRest = segments.at(-1) === "**";
  if (isRest) segments.pop();
  // A ** elsewhere cannot be named by a trie; lint refuses it.
  if (segments.includes("**")) return;
  let node = root;
  for (const segment of segments) node = child(node, segment);
  if (isRest) node.rest ??= template;
  else node.template ??= template;
}

function child(node: Node, segment: string): Node {
  if (isParameter(segment)) {
    node.parameter ??= newNode();
    return node.parameter;
  }
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const made = newNode();
  node.literals.set(segment, made);
  return made;
}

/** `at` is where the next segment starts; beyond the end when none is left. */
function find(node: Node, path: string, at: number): string | null {
  if (at >= path.length) return node.template ?? node.rest;
  const slash = path.indexOf("/", at);
  const end = slash === -1 ? path.length : slash;
  const literal = node.literals.get(path.slice(at, end));
  const found = literal === undefined ? null : find(literal, path, end + 1);
  if (found !== null) return found;
  const byParameter = node.parameter === null ? null : find(node.parameter, path, end + 1);
  return byParameter ?? node.rest;
}
