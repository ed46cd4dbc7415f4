import { type Path, valueAt } from "./object-path";

/** A rule as it stands in the form: anything that was typed, and every key that the form does not know. */
export type RuleInput = Record<string, unknown>;

/** The text at a path; what is not text is shown as it would be written. */
export function textAt(input: RuleInput, path: Path): string {
  const value = valueAt(input, path);
  return value === undefined || value === null ? "" : String(value);
}

export function numberAt(input: RuleInput, path: Path): number | null {
  const value = valueAt(input, path);
  return typeof value === "number" ? value : null;
}

export function listAt(input: RuleInput, path: Path): string[] {
  const value = valueAt(input, path);
  return Array.isArray(value) ? value.map(String) : [];
}

export function recordAt(input: RuleInput, path: Path): Record<string, unknown> {
  const value = valueAt(input, path);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
