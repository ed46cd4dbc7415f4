import { compareAmounts } from "./amount-compare";
import type { LintFinding } from "./api/change";
import { orderedCountBy } from "./count-by";
import { amountFor } from "./limit";
import { planLimit } from "./limit-sentence";
import { lintLists } from "./lint-lists";
import { knownRoutes, lintRoutes } from "./lint-routes";
import { lintRule } from "./lint-rule";
import { ANONYMOUS_PLAN } from "./plan";
import { defaultCost, type Rule } from "./rule";
import type { Content } from "./ruleset-objects";
import { matchKey } from "./stricter";

/**
 * What is wrong (error: stops a publish), risky (warning) or worth knowing (info) about a ruleset, errors first.
 * `gateways`: live and silent, as the fallback divides by; 0 when unknown.
 */
export function lintContent(
  content: Content,
  { gateways = 0 }: { gateways?: number } = {},
): LintFinding[] {
  const context = { content, routes: knownRoutes(content.routes), gateways };
  const findings: LintFinding[] = [
    ...twiceFindings("rule", content.rules),
    ...twiceFindings("plan", content.plans),
    ...content.rules.flatMap((rule) =>
      lintRule(rule, context).map(
        (found): LintFinding => ({ ...found, kind: "rule", id: rule.id }),
      ),
    ),
    ...shadowedFindings(content),
    ...planFindings(content),
    ...lintRoutes(content.routes).map(
      (found): LintFinding => ({ ...found, kind: "routes", id: "routes" }),
    ),
    ...lintLists(content.lists, content.settings),
    ...settingsFindings(content),
  ];
  return findings.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

const LEVELS = ["error", "warning", "info"];

function twiceFindings(kind: "rule" | "plan", items: readonly { id: string }[]): LintFinding[] {
  const ids = items.map(({ id }) => id);
  const twice = new Set(ids.filter((id, i) => ids.indexOf(id) !== i));
  return [...twice].map((id) => {
    const message = `two ${kind}s have the id "${id}"`;
    return { level: "error", code: "same-id", kind, id, path: "id", message };
  });
}

/** Of two rules that look at the same requests and buckets, the one that never decides. */
function shadowedFindings({ rules, plans }: Content): LintFinding[] {
  const groups = new Map<string, Rule[]>();
  for (const rule of rules) {
    if (rule.mode === "off") continue;
    const key = `${matchKey(rule.match)} ${orderedCountBy(rule.countBy).join(" ")}`;
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  const ids = [...plans.map(({ id }) => id), ANONYMOUS_PLAN];
  return [...groups.values()].flatMap((group) =>
    group.flatMap((rule, i) => {
      const winner = group.find(
        (other, j) => i !== j && other.mode === "enforce" && beats(other, rule, ids, j < i),
      );
      return winner === undefined ? [] : [shadowedFinding(rule, winner)];
    }),
  );
}

function shadowedFinding(rule: Rule, winner: Rule): LintFinding {
  const what = rule.mode === "enforce" ? "never decides" : "will report no new rejections";
  return {
    level: rule.mode === "enforce" ? "warning" : "info",
    code: "always-beaten",
    kind: "rule",
    id: rule.id,
    path: "limit",
    message: `this rule ${what}: ${winner.id} counts the same requests in the same way and allows no more`,
  };
}

/** Whether `a` allows no more than `b` to any plan; of equals only the first one wins. */
function beats(a: Rule, b: Rule, plans: readonly string[], isFirst: boolean): boolean {
  const order = plans
    .filter((plan) => planLimit(b, plan).from !== "not matched")
    .map((plan) => compareAmounts(amountFor(b.limit, plan), amountFor(a.limit, plan)).direction);
  const isNeverLooser = order.every(
    (direction) => direction === "same" || direction === "stricter",
  );
  const [costA, costB] = [defaultCost(a.cost), defaultCost(b.cost)];
  const isEqual = order.every((direction) => direction === "same") && costA === costB;
  return isNeverLooser && costA >= costB && (!isEqual || isFirst);
}

/** Plans, and traffic without a key, that no enforced rule limits. */
function planFindings({ plans, rules }: Content): LintFinding[] {
  const enforced = rules.filter((rule) => rule.mode === "enforce");
  if (enforced.length === 0) return [];
  return [...plans.map(({ id }) => id), ANONYMOUS_PLAN].flatMap((plan): LintFinding[] => {
    const isLimited = enforced.some((rule) => {
      const { words } = planLimit(rule, plan);
      return words !== "no limit" && words !== "unlimited";
    });
    if (isLimited) return [];
    const isAnonymous = plan === ANONYMOUS_PLAN;
    const who = isAnonymous ? "traffic without a key" : `plan ${plan}`;
    const message = `${who} is limited by no enforced rule`;
    const level = isAnonymous ? "warning" : "info";
    return [{ level, code: "plan-without-limit", kind: "plan", id: plan, path: "", message }];
  });
}

function settingsFindings({ settings, plans }: Content): LintFinding[] {
  const { incompleteDirectoryPlan: plan } = settings;
  if (plan === ANONYMOUS_PLAN || plans.some(({ id }) => id === plan)) return [];
  return [
    {
      level: "warning",
      code: "unknown-plan",
      kind: "settings",
      id: "settings",
      path: "incompleteDirectoryPlan",
      message: `there is no plan "${plan}": keys get each rule's default while a gateway's directory is not complete`,
    },
  ];
}
