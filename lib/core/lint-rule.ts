import type { LintFinding } from "./api/change";
import { type Amount, amountFor, amountsOf, amountWords } from "./limit";
import { listWords, planLimits } from "./limit-sentence";
import { type KnownRoutes, lintGlobs } from "./lint-routes";
import { ANONYMOUS_PLAN } from "./plan";
import { defaultCost, type Rule } from "./rule";
import type { Content } from "./ruleset-objects";

type Found = Pick<LintFinding, "level" | "code" | "path" | "message">;

/** Whole-fleet facts that a rule is judged against. `gateways`: live and silent, 0 when unknown. */
export type LintContext = { content: Content; routes: KnownRoutes; gateways: number };

/** What is wrong, risky or worth knowing about one rule on its own. */
export function lintRule(rule: Rule, context: LintContext): Found[] {
  return [
    ...planFindings(rule, context.content),
    ...amountFindings(rule, context),
    ...countByFindings(rule, context.content),
    ...lintGlobs(rule.match.routes ?? [], context.routes, "match.routes"),
  ];
}

function planFindings(rule: Rule, { plans }: Content): Found[] {
  const known = new Set([...plans.map(({ id }) => id), ANONYMOUS_PLAN]);
  const unknown = (named: readonly string[], path: (plan: string, i: number) => string): Found[] =>
    named.flatMap((plan, i) =>
      known.has(plan)
        ? []
        : [
            {
              level: "warning",
              code: "unknown-plan",
              path: path(plan, i),
              message: `there is no plan "${plan}": ${listWords([...known], 6)} exist`,
            },
          ],
    );
  return [
    ...unknown(Object.keys(amountsOf(rule.limit).perPlan), (plan) => `limit.perPlan.${plan}`),
    ...unknown(rule.match.plans ?? [], (_, i) => `match.plans.${i}`),
    ...coverageFindings(rule, planLimits(rule, plans)),
  ];
}

/** Which plans get the default, which get nothing, and whether anybody is limited at all. */
function coverageFindings(rule: Rule, rows: ReturnType<typeof planLimits>): Found[] {
  const plansFrom = (from: string) =>
    rows.filter((row) => row.from === from).map(({ plan }) => plan);
  const isLimiting = rows.some(({ words }) => words !== "no limit" && words !== "unlimited");
  if (!isLimiting) {
    const message = "this rule limits nobody: no plan both matches it and gets an amount";
    return [{ level: "warning", code: "limits-nobody", path: "limit", message }];
  }
  const byDefault = plansFrom("default");
  const without = plansFrom("none");
  const found: Found[] = [];
  if (byDefault.length > 0 && Object.keys(amountsOf(rule.limit).perPlan).length > 0) {
    found.push({
      level: "info",
      code: "plans-by-default",
      path: "limit.default",
      message: `not named, so by default: ${listWords(byDefault, 6)}`,
    });
  }
  if (without.length > 0) {
    found.push({
      level: "info",
      code: "plans-without-limit",
      path: "limit.perPlan",
      message: `not limited by this rule: ${listWords(without, 6)}`,
    });
  }
  return found;
}

function amountFindings(rule: Rule, { gateways }: LintContext): Found[] {
  const { limit } = rule;
  const cost = defaultCost(rule.cost);
  const given = amountsOf(limit);
  const amounts: [string, Amount | null | undefined][] = [
    ...Object.keys(given.perPlan).map((plan): [string, Amount | null] => [
      `limit.perPlan.${plan}`,
      amountFor(limit, plan),
    ]),
    ["limit.anonymous", given.anonymous],
    ["limit.default", given.default],
  ];
  return amounts.flatMap(([path, amount]): Found[] => {
    if (amount === null || amount === undefined || amount === "unlimited") return [];
    if (!("burst" in amount)) return [];
    if (amount.burst < cost) {
      const message = `burst ${amount.burst} is below the cost of ${cost} a request: no request would ever pass`;
      return [{ level: "error", code: "burst-below-cost", path: `${path}.burst`, message }];
    }
    const share = Math.floor(amount.burst / Math.max(1, gateways));
    if (rule.failMode !== "local" || share >= cost) return [];
    const message =
      cost === 1
        ? `${amountWords(amount)} is less than 1 for each of ${gateways} gateways: while Redis is away each lets at least 1 through`
        : `${amountWords(amount)} leaves each of ${gateways} gateways less than the cost of ${cost}: while Redis is away no request passes`;
    return [{ level: "warning", code: "burst-below-gateways", path: `${path}.burst`, message }];
  });
}

function countByFindings(rule: Rule, { routes }: Content): Found[] {
  return rule.countBy.flatMap((part, i): Found[] => {
    const path = `countBy.${i}`;
    if (part.startsWith("header:")) {
      const name = part.slice("header:".length);
      const message = `clients choose the value of ${name} themselves: a new value is a new, full bucket, unless a proxy in front sets it`;
      return [{ level: "warning", code: "spoofable-header", path, message }];
    }
    if (part === "route" && routes.length === 0) {
      const message = `there are no route templates: every request counts under route "other"`;
      return [{ level: "warning", code: "route-without-templates", path, message }];
    }
    return [];
  });
}
