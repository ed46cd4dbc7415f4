import { isParameter } from "./route-template";

/** Globs as a trie over segments; globs of one shape share a value. */
export type GlobNode<T> = {
  literals: Map<string, GlobNode<T>> | null;
  parameter: GlobNode<T> | null;
  /** What follows a `**`, from any later segment on. Only one on the way down from the root. */
  rest: GlobNode<T> | null;
  /** Of paths that end here. */
  here: T | null;
  /** Of any path from here on, one that ends here included. */
  under: T | null;
};

export function newGlobNode<T>(): GlobNode<T> {
  return { literals: null, parameter: null, rest: null, here: null, under: null };
}

/**
 * The part of a glob that the trie decides, with the one spelling of its shape. What a second `**` is followed by
 * is left out (`isExact` is false then): walking it would take as many steps as the path is long, squared.
 */
export function globShape(segments: readonly string[]): { shape: string[]; isExact: boolean } {
  const shape: string[] = [];
  let isAfterRest = false;
  for (const [i, segment] of segments.entries()) {
    const isRest = segment === "**";
    if (isRest && shape.at(-1) === "**") continue;
    shape.push(isParameter(segment) ? "*" : segment);
    if (isRest && isAfterRest) {
      return { shape, isExact: segments.slice(i).every((each) => each === "**") };
    }
    isAfterRest ||= isRest;
  }
  return { shape, isExact: true };
}

/** The value of a shape, made where there is none. */
export function globValue<T>(root: GlobNode<T>, shape: readonly string[], make: () => T): T {
  const isUnder = shape.at(-1) === "**";
  let node = root;
  for (const segment of isUnder ? shape.slice(0, -1) : shape) node = child(node, segment);
  if (isUnder) {
    node.under ??= make();
    return node.under;
  }
  node.here ??= make();
  return node.here;
}

function child<T>(node: GlobNode<T>, segment: string): GlobNode<T> {
  if (segment === "**") {
    node.rest ??= newGlobNode();
    return node.rest;
  }
  if (segment === "*") {
    node.parameter ??= newGlobNode();
    return node.parameter;
  }
  node.literals ??= new Map();
  let next = node.literals.get(segment);
  if (next === undefined) {
    next = newGlobNode();
    node.literals.set(segment, next);
  }
  return next;
}

/** Calls back with the value of each shape the path fits; more than once where a `**` lets it fit in several ways. */
export function walkGlobs<T>(
  node: GlobNode<T>,
  segments: readonly string[],
  at: number,
  found: (value: T) => void,
): void {
  if (node.under !== null) found(node.under);
  const { rest } = node;
  if (rest !== null)
    for (let from = at; from < segments.length; from += 1) walkGlobs(rest, segments, from, found);
  const segment = segments[at];
  if (segment === undefined) {
    if (node.here !== null) found(node.here);
    return;
  }
  const literal = node.literals?.get(segment);
  if (literal !== undefined) walkGlobs(literal, segments, at + 1, found);
  if (node.parameter !== null) walkGlobs(node.parameter, segments, at + 1, found);
}
