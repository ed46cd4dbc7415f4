import type { z } from "zod";
import { ipClientId, parseIp } from "../core/ip";
import type { Amount, LimitSchema, RateLimit } from "../core/limit";
import type { OverrideSubject } from "../core/override-subject";
import { type Rule, RuleSchema } from "../core/rule";
import { type Body, BodySchema } from "../core/ruleset";
import type { RequestFacts } from "../core/ruleset-index";

type RuleInput = Omit<Partial<z.input<typeof RuleSchema>>, "limit">;
type TokenBucketInput = RuleInput & {
  limit?: { perPlan?: unknown; anonymous?: unknown; default?: unknown };
};
type TokenBucketRule = Rule & { limit: Extract<RateLimit, { algorithm: "token-bucket" }> };

const PER_KEY = {
  id: "per-key-rate",
  name: "Requests per API key",
  countBy: ["apiKey"],
  mode: "enforce",
};

/** A valid rule for tests: 60 per 1m per API key, enforced, with the given fields in place. */
export function tokenBucketRule(fields: TokenBucketInput = {}): TokenBucketRule {
  const { limit, ...rest } = fields;
  const rule = RuleSchema.parse({
    ...PER_KEY,
    ...rest,
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      default: { rate: 60, per: "1m", burst: 60 },
      ...limit,
    },
  });
  if (!isTokenBucket(rule)) throw new Error("tokenBucketRule makes token buckets only, use ruleOf");
  return rule;
}

function isTokenBucket(rule: Rule): rule is TokenBucketRule {
  return rule.limit.kind === "rate" && rule.limit.algorithm === "token-bucket";
}

/** A valid rule of any kind for tests, per API key (a shedder: in total), enforced, with the given fields in place. */
export function ruleOf(limit: z.input<typeof LimitSchema>, fields: RuleInput = {}): Rule {
  const isShared = limit.kind === "fleet" || limit.kind === "worker";
  return RuleSchema.parse({
    ...PER_KEY,
    ...(isShared ? { countBy: ["global"] } : {}),
    ...fields,
    limit,
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

type FactsInput = {
  method?: string;
  path?: string;
  route?: string;
  headers?: Record<string, string>;
  /** The key's id; none: the client is its address, the plan `anonymous`. */
  key?: string;
  customer?: string;
  plan?: string;
  ip?: string;
  /** Of the client: its key, else its address. */
  overrides?: Record<string, Amount>;
  customerOverrides?: Record<string, Amount>;
  ipOverrides?: Record<string, Amount>;
};

/** A GET of /v1/messages, as a gateway would describe it. */
export function factsOf(input: FactsInput): RequestFacts {
  const ip = parseIp(input.ip ?? "198.51.100.1");
  if (ip === null) throw new Error(`ip must be an address, got ${input.ip}`);
  const ipClient = ipClientId(ip, 64);
  return {
    method: input.method ?? "GET",
    path: input.path ?? "/v1/messages",
    route: input.route ?? "/v1/messages",
    header: (name) => input.headers?.[name],
    identity: {
      client: input.key === undefined ? ipClient : `key:${input.key}`,
      authenticated: input.key !== undefined,
      customer: input.key === undefined ? null : (input.customer ?? input.key),
      plan: input.plan ?? (input.key === undefined ? "anonymous" : "free"),
      ip,
      ipClient,
    },
    override: (ruleId, subject) => overridesOf(input, subject)?.[ruleId] ?? null,
  };
}

function overridesOf(input: FactsInput, subject: OverrideSubject) {
  const isKeyless = input.key === undefined;
  if (subject === "key") return isKeyless ? undefined : input.overrides;
  if (subject === "customer") return isKeyless ? undefined : input.customerOverrides;
  return isKeyless ? input.overrides : input.ipOverrides;
}
