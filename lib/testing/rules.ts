import { type Rule, RuleSchema } from "../core/rule";
import { type Body, BodySchema } from "../core/ruleset";

type RuleInput = Omit<Partial<Rule>, "limit"> & { limit?: Partial<Rule["limit"]> };

/** A valid rule for tests: 60 per 1m per API key, enforced, with the given fields in place. */
export function tokenBucketRule(fields: RuleInput = {}): Rule {
  return RuleSchema.parse({
    id: "per-key-rate",
    name: "Requests per API key",
    countBy: ["apiKey"],
    mode: "enforce",
    ...fields,
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      default: { rate: 60, per: "1m", burst: 60 },
      ...fields.limit,
    },
  });
}

/** A body of these rules with the three plans; revision 1 each, slots counted from 1. */
export function bodyOf(rules: readonly Rule[], fields: Partial<Body> = {}): Body {
  return BodySchema.parse({
    plans: [
      { id: "free", name: "Free", rank: 0 },
      { id: "paid", name: "Paid", rank: 1 },
      { id: "enterprise", name: "Enterprise", rank: 2, protected: true },
    ],
    rules: rules.map((rule, index) => ({
      id: rule.id,
      live: { revision: 1, slot: index + 1, rule },
    })),
    ...fields,
  });
}
