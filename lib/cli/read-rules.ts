import { compileRuleset } from "../core/compile-ruleset";
import { INITIAL_CONTENT } from "../core/demo-ruleset";
import { AppError } from "../core/errors";
import { fieldErrors } from "../core/parse";
import { BodySchema } from "../core/ruleset";
import type { RulesetIndex } from "../core/ruleset-index";
import { readRuleset } from "../core/ruleset-yaml";
import { readText } from "./read-text";

/** A ruleset as pull writes it, compiled; every rule counts in a slot of its own. Throws `invalid`. */
export async function readRules(file: string): Promise<RulesetIndex> {
  const text = await readText(file);
  const {
    settings = {},
    lists = {},
    routes = [],
    plans,
    rules = [],
    candidates = {},
  } = readRuleset(text);
  const byId = new Map(Object.entries(candidates));
  let slot = 0;
  const entryOf = (rule: unknown) => {
    slot += 1;
    return { revision: 1, slot, rule };
  };
  const ids = new Set<unknown>();
  const entries: object[] = rules.map((rule) => {
    const id = typeof rule === "object" && rule !== null && "id" in rule ? rule.id : undefined;
    ids.add(id);
    const candidate = Object(typeof id === "string" ? byId.get(id) : undefined);
    return {
      id,
      live: entryOf(rule),
      ...("rule" in candidate && { candidate: entryOf(candidate.rule), share: candidate.share }),
    };
  });
  for (const [id, candidate] of byId)
    if (!ids.has(id)) {
      const { rule, share } = Object(candidate);
      entries.push({ id, candidate: entryOf(rule), share });
    }
  const read = BodySchema.safeParse({
    settings,
    lists,
    routes,
    plans:
      plans === undefined
        ? INITIAL_CONTENT.plans
        : Object.entries(plans).map(([id, plan]) => ({ id, ...Object(plan) })),
    rules: entries,
  });
  if (read.success) return compileRuleset(read.data, { epoch: 1, version: 1, hash: "backtest" });
  const errors = fieldErrors(read.error);
  const [first] = errors;
  throw new AppError("invalid", `${file}: ${first?.path}: ${first?.message}`, { errors });
}
