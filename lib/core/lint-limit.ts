import type { LintFinding } from "./api/change";
import { type Amount, amountFor, amountsOf, isShedder, type Limit } from "./limit";
import { limitWords } from "./limit-words";
import { type Cost, defaultCost, type Rule } from "./rule";

const EVERYWHERE = ["**", "/**"];

type Found = Pick<LintFinding, "level" | "code" | "path" | "message">;

/** A lease is worth its while from so many tokens for each gateway on. */
const LEASE_MIN = 10;

/** Amounts that no request fits, or that cannot be parted among `gateways` (0 when unknown). */
export function amountFindings(rule: Rule, gateways: number): Found[] {
  return namedAmounts(rule.limit).flatMap(([path, amount]): Found[] => {
    const most = mostOf(amount);
    if (most === null) return [];
    const at = `${path}.${most.field}`;
    const cost = defaultCost(rule.cost);
    if (most.value < cost) {
      const message = `${most.field} ${most.value} is below the cost of ${cost} a request: no request would ever pass`;
      return [{ level: "error", code: `${most.field}-below-cost`, path: at, message }];
    }
    return [
      ...dearRoutes(rule.cost, most, at),
      ...shareFindings(rule, amount, { ...most, path: at, gateways, cost }),
      ...precisionFindings(rule, amount, { ...most, path: at, gateways }),
    ];
  });
}

type Most = { field: "burst" | "rate" | "concurrent"; value: number };
type Judged = Most & { path: string; gateways: number };

/** The most that can pass at once. */
function mostOf(amount: Amount): Most | null {
  if (amount === "unlimited") return null;
  if ("concurrent" in amount) return { field: "concurrent", value: amount.concurrent };
  return "burst" in amount
    ? { field: "burst", value: amount.burst }
    : { field: "rate", value: amount.rate };
}

function namedAmounts(limit: Limit): [string, Amount][] {
  const { perPlan, anonymous, default: others } = amountsOf(limit);
  const named = Object.keys(perPlan).map(
    (plan) => [`limit.perPlan.${plan}`, amountFor(limit, plan)] as const,
  );
  const all = [...named, ["limit.anonymous", anonymous], ["limit.default", others]] as const;
  return all.flatMap(([path, amount]): [string, Amount][] => (amount ? [[path, amount]] : []));
}

function dearRoutes(cost: Cost, { field, value }: Most, path: string): Found[] {
  if (typeof cost === "number" || !("routes" in cost)) return [];
  return Object.entries(cost.routes).flatMap(([route, each]): Found[] => {
    if (each <= value) return [];
    const message = `${field} ${value} is below the cost of ${each} on ${route}: no request there would ever pass`;
    return [{ level: "warning", code: `${field}-below-cost`, path, message }];
  });
}

function shareFindings(
  { limit, failMode }: Rule,
  amount: Amount,
  { field, value, path, gateways, cost }: Judged & { cost: number },
): Found[] {
  if (failMode !== "local" || Math.floor(value / Math.max(1, gateways)) >= cost) return [];
  const words = limitWords(limit, amount);
  const message =
    cost === 1
      ? `${words} is less than 1 for each of ${gateways} gateways: while Redis is away each lets at least 1 through`
      : `${words} leaves each of ${gateways} gateways less than the cost of ${cost}: while Redis is away no request passes`;
  return [{ level: "warning", code: `${field}-below-gateways`, path, message }];
}

function precisionFindings(
  { limit, precision }: Rule,
  amount: Amount,
  { value, path, gateways }: Judged,
): Found[] {
  const fleet = Math.max(1, gateways);
  const words = limitWords(limit, amount);
  if (precision === "leased" && value < LEASE_MIN * fleet) {
    const message = `${words} leaves each of ${fleet} ${fleet === 1 ? "gateway" : "gateways"} less than ${LEASE_MIN} tokens to lease: exact costs as many calls and is never short`;
    return [{ level: "warning", code: "leased-tiny-limit", path, message }];
  }
  if (precision === "approximate" && fleet > 1) {
    const message = `approximate: ${fleet} gateways count alone between two syncs, so up to ${fleet} times ${words} may pass at worst`;
    return [{ level: "info", code: "approximate-bound", path, message }];
  }
  return [];
}

/** What a request costs where it says so itself. */
export function costFindings({ cost }: Rule, routes: readonly string[]): Found[] {
  if (typeof cost === "number") return [];
  if ("header" in cost) {
    const message = `the cost is read from ${cost.header} only where a trusted hop (HEADGATE_TRUST_PROXY) sent the request: any other request costs ${cost.default}, whatever it says`;
    return [{ level: "info", code: "cost-from-header", path: "cost.header", message }];
  }
  const named = Object.keys(cost.routes);
  if (named.length === 0) {
    const message = `the cost names no routes: every request costs ${cost.default}`;
    return [{ level: "info", code: "cost-without-routes", path: "cost.routes", message }];
  }
  return named.flatMap((route): Found[] => {
    if (routes.includes(route)) return [];
    const message = `${route} is none of the route templates: its requests cost ${cost.default}`;
    return [
      { level: "warning", code: "cost-without-template", path: `cost.routes.${route}`, message },
    ];
  });
}

/** What a shedder does that its author may not expect. */
export function shedderFindings({ limit, priority, match }: Rule): Found[] {
  if (!isShedder(limit)) return [];
  if ((priority === "test" || priority === "sheddable") && matchesAll(match)) {
    const message = `it matches every request: all that no other enforced shedder names a higher priority are ${priority} ones, the ${priority === "test" ? "first" : "second"} to be shed`;
    return [{ level: "warning", code: "catch-all-low-priority", path: "priority", message }];
  }
  if (priority === "critical") {
    const message = `critical requests are never shed: this rule ${limit.kind === "fleet" ? "only counts them towards the capacity" : "does nothing"}`;
    return [{ level: "warning", code: "never-sheds", path: "priority", message }];
  }
  if (limit.kind === "fleet" && limit.reserve === 100) {
    const message = `a reserve of 100 % leaves nothing for ${priority} requests: every one is shed`;
    return [{ level: "warning", code: "sheds-all", path: "limit.reserve", message }];
  }
  return [];
}

/** By what is written: that conditions together leave nothing out is not looked for. */
function matchesAll({ routes = [], headers = {}, ...rest }: Rule["match"]): boolean {
  const isNarrowed = Object.values(rest).some((condition) => condition !== undefined);
  const isEverywhere = routes.length === 0 || routes.some((route) => EVERYWHERE.includes(route));
  return isEverywhere && Object.keys(headers).length === 0 && !isNarrowed;
}
