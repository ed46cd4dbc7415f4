import { z } from "zod";
import { AppError, type FieldError } from "./errors";

/** Parses at a boundary. Throws `invalid` with one sentence per wrong field. */
export function parseInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
  what: string,
): z.output<S> {
  const result = schema.safeParse(input, { error: defaultSentence });
  if (result.success) return result.data;
  const errors = fieldErrors(result.error);
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const where = first === undefined || first.path === "" ? "" : `${first.path}: `;
  throw new AppError("invalid", `${what} is not valid: ${where}${first?.message ?? ""}${more}`, {
    errors,
  });
}

/** One sentence per wrong field; of a union, the branch that was meant. */
export function fieldErrors(error: { issues: readonly z.core.$ZodIssue[] }): FieldError[] {
  const errors = error.issues.flatMap((issue) => issueErrors(issue, []));
  // Two checks of one number (whole, within bounds) say the same sentence.
  return errors.filter(
    ({ path, message }, i) =>
      errors.findIndex((other) => other.path === path && other.message === message) === i,
  );
}

function issueErrors(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): FieldError[] {
  const path = [...parents, ...issue.path];
  if (issue.code === "invalid_union") {
    // A branch that failed only inside was meant, "unlimited" fails at its root; of several the one that is nearest.
    const meant = issue.errors
      .filter((branch) =>
        branch.every(
          (inner) =>
            inner.path.length > 0 || inner.code === "unrecognized_keys" || inner.code === "custom",
        ),
      )
      .reduce<(typeof issue.errors)[number] | undefined>(
        (best, branch) => (best === undefined || branch.length < best.length ? branch : best),
        undefined,
      );
    // Text of the wrong form was meant as text, whatever else is allowed in its place.
    const text = issue.errors.find((branch) =>
      branch.every((inner) => inner.code === "invalid_format"),
    );
    const branch = meant ?? text;
    if (branch !== undefined) return branch.flatMap((inner) => issueErrors(inner, path));
  }
  const place = path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: place === "" ? key : `${place}.${key}`,
      message: `"${key}" is not known here`,
    }));
  }
  const name = issue.message.startsWith("must be ") ? `${subject(path)} ` : "";
  return [{ path: place, message: `${name}${issue.message}` }];
}

function subject(path: readonly PropertyKey[]): string {
  const name = String(path.findLast((part) => typeof part === "string") ?? "it");
  return typeof path.at(-1) === "number" ? `each of ${name}` : name;
}

const TYPES: Record<string, string> = {
  object: "an object",
  record: "an object",
  array: "a list",
  string: "text",
  boolean: "true or false",
};

/** What a schema without a sentence of its own says; the field's name is put before it. */
function defaultSentence(issue: z.core.$ZodRawIssue): string | undefined {
  const got = `got ${shown(issue.input)}`;
  if (issue.code === "invalid_type") {
    return `must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}, ${got}`;
  }
  if (issue.code === "invalid_value") {
    const words = issue.values.map(String).join(", ");
    return `must be ${issue.values.length > 1 ? `one of ${words}` : words}, ${got}`;
  }
  return undefined;
}

/** A received value as a short, safe piece of a sentence: `"abc"`, `0`, `nothing`, `a list`. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object") return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** `burst must be a whole number 1..1000000000, got 0` */
export function wholeNumber(name: string, min: number, max: number) {
  const error = (issue: { input?: unknown }) =>
    `${name} must be a whole number ${min}..${max}, got ${shown(issue.input)}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A line of text for people, 1..max characters, without control characters. */
export function textLine(name: string, max: number) {
  return z
    .string({ error: (issue) => `${name} must be text, got ${shown(issue.input)}` })
    .trim()
    .min(1, { error: `${name} must not be empty` })
    .max(max, {
      error: (issue) =>
        `${name} must be at most ${max} characters, got ${String(issue.input).length}`,
    })
    .regex(/^[^\p{Cc}]*$/u, { error: `${name} must be one line without control characters` });
}

/** One of the listed words; the message lists them. */
export function oneOf<const T extends readonly [string, ...string[]]>(name: string, values: T) {
  return z.enum(values, {
    error: (issue) => `${name} must be one of ${values.join(", ")}, got ${shown(issue.input)}`,
  });
}

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A stable id in URLs, YAML and Redis: 1..63 of a-z, 0-9 and inner hyphens. */
export function slug(name: string) {
  return z
    .string({ error: (issue) => `${name} must be text, got ${shown(issue.input)}` })
    .regex(SLUG, {
      error: (issue) =>
        `${name} must be 1..63 characters of a-z, 0-9 and inner hyphens, got ${shown(issue.input)}`,
    });
}

export function flag(name: string) {
  return z.boolean({
    error: (issue) => `${name} must be true or false, got ${shown(issue.input)}`,
  });
}
