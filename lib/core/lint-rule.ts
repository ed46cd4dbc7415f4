import type { LintFinding } from "./api/change";
import { amountsOf, isShedder } from "./limit";
import { isLimited, planLimits } from "./limit-sentence";
import { amountFindings, costFindings, shedderFindings } from "./lint-limit";
import { type KnownRoutes, lintGlobs } from "./lint-routes";
import { windowFindings } from "./lint-windows";
import { listWords } from "./list-words";
import { ANONYMOUS_PLAN } from "./plan";
import type { Rule } from "./rule";
import type { Content } from "./ruleset-objects";

type Found = Pick<LintFinding, "level" | "code" | "path" | "message">;

/** Whole-fleet facts that a rule is judged against. `gateways`: live and silent, 0 when unknown. */
export type LintContext = { content: Content; routes: KnownRoutes; gateways: number };

/** What is wrong, risky or worth knowing about one rule on its own. */
export function lintRule(rule: Rule, context: LintContext): Found[] {
  return [
    ...planFindings(rule, context.content),
    ...amountFindings(rule, context.gateways),
    ...windowFindings(rule, context.content.plans),
    ...costFindings(rule, context.content.routes),
    ...shedderFindings(rule),
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
    ...(isShedder(rule.limit) ? [] : coverageFindings(rule, planLimits(rule, plans))),
  ];
}

/** Which plans get the default, which get nothing, and whether anybody is limited at all. */
function coverageFindings(rule: Rule, rows: ReturnType<typeof planLimits>): Found[] {
  const plansFrom = (from: string) =>
    rows.filter((row) => row.from === from).map(({ plan }) => plan);
  if (!rows.some(isLimited)) {
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

function countByFindings(rule: Rule, { routes, settings }: Content): Found[] {
  return rule.countBy.flatMap((part, i): Found[] => {
    const path = `countBy.${i}`;
    if (part.startsWith("header:")) {
      const name = part.slice("header:".length);
      // Gateways take it out where no trusted hop sent it.
      if (name === settings.identity.trustedHeader) return [];
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
