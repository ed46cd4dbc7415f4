import { z } from "zod";

const NAME = /^_?[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const NAMES_MAX = 10_000;
export const ALL_RULES = "all";

/** At one gateway, told at its own machine: rules that it treats as shadow, and lists that it leaves out. */
export const StopEnforcingSchema = z.strictObject({
  /** `all`, ids of rules, `_deny`, `_flood`. */
  rules: z.array(z.string().regex(NAME)).min(1).max(NAMES_MAX),
  by: z.array(z.enum(["variable", "file"])).min(1),
  sinceMs: z.int(),
});

export type StopEnforcing = z.output<typeof StopEnforcingSchema>;

/**
 * `all` or ids of rules, divided by spaces, commas or lines; after `#` nothing counts. Without any word it is all: who
 * makes an empty file at night wants out at once. `wrong` is what can be no id.
 */
export function readStoppedRules(text: string): { rules: string[]; wrong: string[] } {
  const words = text
    .replace(/^\uFEFF/, "")
    .replace(/#[^\n]*/g, "")
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .map((word) => (word.toLowerCase() === ALL_RULES ? ALL_RULES : word));
  if (words.length === 0) return { rules: [ALL_RULES], wrong: [] };
  const rules = [...new Set(words.filter((word) => NAME.test(word)))].sort();
  return { rules: rules.slice(0, NAMES_MAX), wrong: words.filter((word) => !NAME.test(word)) };
}

/** Lists are not among `all`: they hold whom somebody named, and go only by their own names. */
export function isStopped(stopped: readonly string[], name: string): boolean {
  return stopped.includes(name) || (stopped.includes(ALL_RULES) && !name.startsWith("_"));
}
