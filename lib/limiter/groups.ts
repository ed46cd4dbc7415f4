import type { CheckResult, CheckRule, RuleOutcome } from "@/lib/core/check";

/** The rules of a request that one call can decide together. */
export type Group<R extends CheckRule = CheckRule> = {
  place: number;
  rules: readonly R[];
  /** Where each of them stands in the request. */
  at: readonly number[];
};

/** In the order of first sight. */
export function groupRules<R extends CheckRule>(
  rules: readonly R[],
  placeOf: (key: string) => number,
): Group<R>[] {
  const groups = new Map<number, { place: number; rules: R[]; at: number[] }>();
  for (const [index, rule] of rules.entries()) {
    const place = placeOf(rule.key);
    const group = groups.get(place) ?? { place, rules: [], at: [] };
    groups.set(place, group);
    group.rules.push(rule);
    group.at.push(index);
  }
  return [...groups.values()];
}

/** `result.perRule` is in the order of the group's rules. */
export type Taken<R extends CheckRule, T extends CheckResult> = { group: Group<R>; result: T };

type Decided<T extends CheckResult> = Exclude<T, { verdict: "unavailable" }>;

type Hands<R extends CheckRule, T extends CheckResult> = {
  take(group: Group<R>): Promise<T>;
  /** Returns to the buckets what a decision took for these rules; nobody waits for it. */
  giveBack(rules: readonly R[], taken: { group: Group<R>; result: Decided<T> }): void;
};

/**
 * Takes from all groups in parallel, and gives back what must not stay taken: with it each rule is charged as one
 * call over all of them would have charged it. Until then another request may be refused, never wrongly admitted.
 */
export async function takeAll<R extends CheckRule, T extends CheckResult>(
  groups: readonly Group<R>[],
  { take, giveBack }: Hands<R, T>,
): Promise<{ taken: Taken<R, T>[]; refusing: ReadonlySet<string> }> {
  const results = await Promise.all(groups.map(take));
  const taken = groups.map((group, index) => ({ group, result: results[index] as T }));
  const refusing = refusingRules(taken);
  if (refusing.size === 0) return { taken, refusing };
  return { taken: taken.map((each) => settle(each, refusing, giveBack)), refusing };
}

/** Stands for a group that nobody could decide. */
const UNDECIDED = "";

function refusingRules(taken: readonly Taken<CheckRule, CheckResult>[]): ReadonlySet<string> {
  const refusing = new Set<string>();
  for (const { result } of taken) {
    if (result.verdict === "unavailable") refusing.add(UNDECIDED);
    else
      for (const { role, allowed, ruleId } of result.perRule)
        if (role === "enforced" && !allowed) refusing.add(ruleId);
  }
  return refusing;
}

/** A candidate's world has it in place of the enforced rule with its id: that one's refusal alone does not count. */
export function isCharged(
  { role, ruleId }: Pick<CheckRule, "role" | "ruleId">,
  refusing: ReadonlySet<string>,
): boolean {
  return refusing.size === 0 || (role === "shadow" && refusing.size === 1 && refusing.has(ruleId));
}

function settle<R extends CheckRule, T extends CheckResult>(
  taken: Taken<R, T>,
  refusing: ReadonlySet<string>,
  giveBack: Hands<R, T>["giveBack"],
): Taken<R, T> {
  const { group, result } = taken;
  if (!isDecided(result)) return taken;
  const rules = group.rules.filter(
    (rule, index) => result.perRule[index]?.charged === true && !isCharged(rule, refusing),
  );
  if (rules.length === 0) return taken;
  giveBack(rules, { group, result });
  const returned = new Set(rules);
  const perRule = result.perRule.map((outcome, index) => {
    const rule = group.rules[index];
    return rule !== undefined && returned.has(rule) ? uncharged(outcome, rule) : outcome;
  });
  return { group, result: { ...result, perRule } };
}

function isDecided<T extends CheckResult>(result: T): result is Decided<T> {
  return result.verdict !== "unavailable";
}

/** It had the cost, and so at least one token. */
function uncharged(outcome: RuleOutcome, { cost }: CheckRule): RuleOutcome {
  return { ...outcome, charged: false, remaining: outcome.remaining + cost, resetMs: 0 };
}
