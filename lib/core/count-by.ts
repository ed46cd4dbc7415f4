import type { RequestFacts } from "./ruleset-index";

/** Strongest first: the first of these that a rule counts by names the principal, so its buckets share a tag. */
const PRINCIPALS = ["client", "apiKey", "customer", "ip", "plan"];

/**
 * The parts of a combination in their one order, whatever order they were written in: [route, apiKey] counts
 * in the same bucket as [apiKey, route].
 */
export function orderedCountBy(countBy: readonly string[]): string[] {
  return [...countBy].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

export type CountKey = { principal: string; rest: readonly string[] };

/**
 * countBy to the function that names a request's bucket; null when the request lacks a part (no key, no
 * customer, no such header), so that the rule does not apply. An empty header value is a value.
 */
export function compileCountBy(
  countBy: readonly string[],
): (facts: RequestFacts) => CountKey | null {
  const parts = orderedCountBy(countBy);
  const [first = "global", ...others] = parts;
  if (first === "global") return () => GLOBAL;
  const isPrincipal = PRINCIPALS.includes(first);
  const restParts = isPrincipal ? others : parts;
  return (facts) => {
    const principal = isPrincipal ? partOf(first, facts) : GLOBAL.principal;
    if (principal === null) return null;
    if (restParts.length === 0) return { principal, rest: NOTHING };
    const rest: string[] = [];
    for (const part of restParts) {
      const value = partOf(part, facts);
      if (value === null) return null;
      rest.push(value);
    }
    return { principal, rest };
  };
}

const NOTHING: readonly string[] = [];
const GLOBAL: CountKey = { principal: "global", rest: NOTHING };

function rankOf(part: string): number {
  const rank = PRINCIPALS.indexOf(part);
  return rank === -1 ? PRINCIPALS.length : rank;
}

/** Each value carries its kind, so that no two parts can be mistaken for one another. */
function partOf(part: string, facts: RequestFacts): string | null {
  const { identity } = facts;
  switch (part) {
    case "client":
      return identity.client;
    case "apiKey":
      return identity.client.startsWith("key:") ? identity.client : null;
    case "customer":
      return identity.customer === null ? null : `customer:${identity.customer}`;
    case "ip":
      return identity.ipClient;
    case "plan":
      return `plan:${identity.plan}`;
    case "route":
      return `route:${facts.route}`;
    default: {
      const value = facts.header(part.slice("header:".length));
      return value === undefined ? null : `${part}:${value}`;
    }
  }
}
