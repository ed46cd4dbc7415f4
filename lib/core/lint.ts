import { compareAmounts } from "./amount-compare";
import type { LintFinding } from "./api/change";
import { orderedCountBy } from "./count-by";
import { algorithmOf, zoneOf } from "./diff-counting";
import { isEqual } from "./field-diff";
import { amountFor, isShedder } from "./limit";
import { isLimited, planLimit } from "./limit-sentence";
import { lintLists } from "./lint-lists";
import { knownRoutes, lintRoutes } from "./lint-routes";
import { lintRule } from "./lint-rule";
import { listWords } from "./list-words";
import { findCrowd, RULES_PER_REQUEST_MAX } from "./most-rules";
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
    ...crowdFindings(content),
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
    // Amounts of two kinds, or of two calendars, say nothing about each other; shedders have none.
    if (isShedder(rule.limit)) continue;
    const way = [rule.limit.kind, algorithmOf(rule.limit), zoneOf(rule.limit)].join(" ");
    const key = `${matchKey(rule.match)} ${orderedCountBy(rule.countBy).join(" ")} ${way}`;
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
  const isOneCost = isEqual(a.cost, b.cost);
  // By route or header they would have to be compared request by request.
  const isNeverCheaper =
    isOneCost || (typeof a.cost === "number" && typeof b.cost === "number" && costA >= costB);
  const isSame = order.every((direction) => direction === "same") && isOneCost;
  return isNeverLooser && isNeverCheaper && (!isSame || isFirst);
}

/** Plans, and traffic without a key, that no enforced rule limits. */
function planFindings({ plans, rules }: Content): LintFinding[] {
  const enforced = rules.filter((rule) => rule.mode === "enforce");
  if (enforced.length === 0) return [];
  return [...plans.map(({ id }) => id), ANONYMOUS_PLAN].flatMap((plan): LintFinding[] => {
    if (enforced.some((rule) => isLimited(planLimit(rule, plan)))) return [];
    const isAnonymous = plan === ANONYMOUS_PLAN;
    const who = isAnonymous ? "traffic without a key" : `plan ${plan}`;
    const message = `${who} is limited by no enforced rule`;
    const level = isAnonymous ? "warning" : "info";
    return [{ level, code: "plan-without-limit", kind: "plan", id: plan, path: "", message }];
  });
}

/** A request is checked against its rules in one call, which has bounds. */
function crowdFindings(content: Content): LintFinding[] {
  const crowd = findCrowd(content);
  if (crowd === null) return [];
  const { rules, request, isExact } = crowd;
  const message = `${rules.length} rules ${isExact ? "match" : "may match"} one request, such as ${request}: at most ${RULES_PER_REQUEST_MAX} are allowed, take some of them off it: ${listWords(rules, 5)}`;
  const id = rules[0] ?? "";
  return [{ level: "error", code: "too-many-rules", kind: "rule", id, path: "match", message }];
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
