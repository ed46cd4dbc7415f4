import { type AmountComparison, compareAmounts } from "./amount-compare";
import { type Amount, amountFor } from "./limit";
import { isLimited, planLimit } from "./limit-sentence";
import { ANONYMOUS_PLAN, type Plan } from "./plan";
import type { Mode, Rule } from "./rule";

/** What a client gets whose plan is in no version. */
export const DEFAULT_PLAN = "default";

type Ruleset = { plans: readonly Plan[]; rules: readonly Rule[] };

/** What one rule gives one plan, before and after a change of the ruleset. */
export type PlanEffect = {
  plan: string;
  rule: string;
  name: string;
  /** As it is afterwards; of a rule that goes, as it was. */
  mode: Mode;
  /** `60 per 1m`, `no limit`, `not matched` */
  before: string;
  after: string;
  change: AmountComparison;
};

/**
 * Where a plan's clients get another amount than before, by plan and rule in their order. Shedders are left out: they
 * hold every plan alike.
 */
export function planEffects(
  before: Ruleset,
  after: Ruleset,
  plans: readonly string[],
): PlanEffect[] {
  const was = new Map(before.rules.map((rule) => [rule.id, rule]));
  const is = new Map(after.rules.map((rule) => [rule.id, rule]));
  const ids = [...new Set([...is.keys(), ...was.keys()])];
  return plans.flatMap((plan) =>
    ids.flatMap((id) => {
      const [old, now] = [was.get(id), is.get(id)];
      const shown = now ?? old;
      if (shown === undefined) return [];
      const from = given(old, planIn(before, plan));
      const to = given(now, planIn(after, plan));
      if (from.words === to.words) return [];
      const change = changeOf(from.amount, to.amount);
      const { name, mode } = shown;
      return [{ plan, rule: id, name, mode, before: from.words, after: to.words, change }];
    }),
  );
}

/** The plan that gateways would have its clients on. */
function planIn({ plans }: Ruleset, plan: string): string {
  const isThere = plan === ANONYMOUS_PLAN || plans.some(({ id }) => id === plan);
  return isThere ? plan : DEFAULT_PLAN;
}

type Given = { amount: Amount | null; words: string };

function given(rule: Rule | undefined, plan: string): Given {
  if (rule === undefined) return { amount: null, words: "no rule" };
  if (rule.mode === "off") return { amount: null, words: "off" };
  const row = planLimit(rule, plan);
  if (row.from === "not matched") return { amount: null, words: row.from };
  const amount = isLimited(row) ? amountFor(rule.limit, plan) : null;
  return { amount, words: row.words };
}

function changeOf(from: Amount | null, to: Amount | null): AmountComparison {
  const change = compareAmounts(from, to);
  // The same numbers in windows of another kind, or of another time zone.
  return change.direction === "same" && from !== null && to !== null
    ? { direction: "mixed", factor: 1, words: "counted in another way" }
    : change;
}
