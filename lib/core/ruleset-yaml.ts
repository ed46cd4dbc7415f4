import { type Document, isPair, isScalar, parseDocument, Scalar, stringify, visit } from "yaml";
import { z } from "zod";
import { AppError, type FieldError } from "./errors";
import { LIST_NAMES } from "./list-entry";
import type { Content } from "./ruleset-objects";

/** Characters of a whole ruleset: ten thousand rules fit several times. */
export const YAML_MAX = 16_777_216;
/** An honest file repeats an amount here and there; aliases of aliases are a bomb. */
const ALIASES_MAX = 1_000;
const DEPTH_MAX = 1_000;
const DECIMAL = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** Fields whose plain scalars are text, whatever YAML takes them for: `id: 007`, `plans: [no]`. */
const TEXT_FIELDS = new Set([
  "id",
  "name",
  "description",
  "plans",
  "countBy",
  "methods",
  "routes",
  "ips",
  "value",
  "reason",
  "incompleteDirectoryPlan",
  "timeZone",
]);
const AFTER_ID = ["rules", "plans", "candidates"];

/** Sections of a ruleset as they were written, unchecked; a section that is not there is left as it is. */
export const RulesetSectionsSchema = z.strictObject({
  settings: z.unknown().optional(),
  lists: z.partialRecord(z.enum(LIST_NAMES), z.unknown()).optional(),
  routes: z.unknown().optional(),
  /** By id. */
  plans: z.record(z.string(), z.unknown()).optional(),
  rules: z.array(z.unknown()).max(10_000).optional(),
  /** By the id of their rule: `{share, rule}`. */
  candidates: z.record(z.string(), z.unknown()).optional(),
});

export type RulesetSections = z.output<typeof RulesetSectionsSchema>;

/** A content as sections: plans by their id, as people write them. */
export function sectionsOf({
  settings,
  lists,
  routes,
  plans,
  rules,
  candidates,
}: Content): RulesetSections {
  return {
    settings,
    lists,
    routes,
    plans: Object.fromEntries(plans.map(({ id, ...plan }) => [id, plan])),
    rules,
    ...(candidates.length > 0 && {
      candidates: Object.fromEntries(candidates.map(({ id, ...candidate }) => [id, candidate])),
    }),
  };
}

/** Text that `readRuleset` reads as the same sections, also by other readers: what YAML 1.1 takes for a number or a boolean is quoted. */
export function writeRuleset(sections: RulesetSections): string {
  return stringify(sections, { lineWidth: 0, aliasDuplicateObjects: false, compat: "yaml-1.1" });
}

/**
 * Reads YAML or JSON. Ids and other words stay the text that was written. Throws `invalid`, with the line, for what is no
 * YAML, a second document, numbers that are not decimal, and aliases that would blow up.
 */
export function readRuleset(text: string): RulesetSections {
  if (text.length > YAML_MAX)
    throw new AppError("invalid", `a ruleset may have ${YAML_MAX} characters, got ${text.length}`);
  const read = parsed(text);
  const sections = RulesetSectionsSchema.safeParse(read ?? {});
  if (sections.success) return sections.data;
  const errors = sections.error.issues.map(
    ({ path, message }): FieldError => ({
      path: path.join("."),
      message,
    }),
  );
  const [first] = errors;
  throw new AppError(
    "invalid",
    `a ruleset has settings, lists, routes, plans (by id), rules (a list) and candidates (by their rule's id): ${[first?.path, first?.message].filter(Boolean).join(": ")}`,
    { errors },
  );
}

function parsed(text: string): unknown {
  if (flowDepth(text) > DEPTH_MAX) throw invalid("it is nested too deeply");
  try {
    const document = parseDocument(text, { merge: true, stringKeys: false, uniqueKeys: true });
    const [problem] = document.errors;
    if (problem !== undefined) throw invalid(problem.message.split("\n")[0] ?? "it is no YAML");
    asWritten(document, text);
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof RangeError) throw invalid("it is nested too deeply");
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}

/** Brackets open at most, wherever they stand: the parser is slow with many. */
function flowDepth(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [char] of text.matchAll(/[[\]{}]/g)) {
    depth = char === "[" || char === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > most) most = depth;
  }
  return most;
}

/** Keys, and scalars of fields that hold words, become the text that was written. */
function asWritten(document: Document.Parsed, text: string): void {
  visit(document, {
    Pair(_, pair) {
      if (isScalar(pair.key)) pair.key.value = writtenText(pair.key);
    },
    Scalar(at, node, path) {
      // What people keep under meta is theirs.
      if (at === "key" || namesOf(path).includes("meta")) return;
      if (holdsText(path))
        node.value = node.value === null && node.source === "" ? null : writtenText(node);
      else if (typeof node.value === "number" && !DECIMAL.test(node.source ?? ""))
        throw invalid(
          `line ${lineOf(text, node)}: numbers are written in decimal, got ${node.source}`,
        );
    },
  });
}

function writtenText(node: Scalar): unknown {
  const isPlain = node.type === undefined || node.type === Scalar.PLAIN;
  return isPlain &&
    typeof node.value !== "string" &&
    node.source !== undefined &&
    node.source !== ""
    ? node.source
    : node.value;
}

/** Below a field of words, but not within an object below `plans` and `rules` themselves. */
function holdsText(path: readonly unknown[]): boolean {
  const names = namesOf(path);
  const last = names.at(-1);
  if (last === undefined) return false;
  if (names.length === 1 && AFTER_ID.includes(last)) return false;
  return TEXT_FIELDS.has(last) || (names.includes("match") && names.at(-2) === "headers");
}

function namesOf(path: readonly unknown[]): string[] {
  return path.flatMap((node) =>
    isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
  );
}

function lineOf(text: string, node: Scalar): number {
  return text.slice(0, node.range?.[0] ?? 0).split("\n").length;
}

function invalid(message: string): AppError {
  return new AppError("invalid", `this is not a ruleset: ${message}`);
}
