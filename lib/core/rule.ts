import { z } from "zod";
import { HEADER_NAME } from "./header-name";
import { parseCidr } from "./ip";
import { isShedder, LimitSchema } from "./limit";
import { flag, oneOf, shown, slug, textLine, wholeNumber } from "./parse";
import { PlanIdSchema } from "./plan";

export const MODES = ["off", "shadow", "enforce"] as const;
export const ModeSchema = oneOf("mode", MODES);
export type Mode = z.output<typeof ModeSchema>;

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Ids that start with `_` are the product's own (`_deny`, `_flood`); the slug form excludes them. */
export const RuleIdSchema = slug("rule id");

const headerName = z
  .string()
  .transform((name) => name.toLowerCase())
  .pipe(
    z.string().regex(HEADER_NAME, {
      error: (issue) =>
        `a header name is 1..64 letters, digits and hyphens, got ${shown(issue.input)}`,
    }),
  );

/** A route glob or template: starts with `/`; `*` is one segment, `**` any number, `:name` a parameter. */
export const RoutePatternSchema = z
  .string({ error: (issue) => `a route must be text, got ${shown(issue.input)}` })
  .max(300, { error: "a route must be at most 300 characters" })
  .regex(/^\/[^\s?#]*$/, {
    error: (issue) =>
      `a route must start with / and have no blank, ? or #, got ${shown(issue.input)}`,
  });

const list = <S extends z.ZodType>(name: string, item: S, max = 100) =>
  z
    .array(item, { error: (issue) => `${name} must be a list, got ${shown(issue.input)}` })
    .max(max, {
      error: `${name} must have at most ${max} entries`,
    });

const headerValues = z.record(headerName, list("header values", z.string().max(200)));

/** z.record would drop such a condition without a word, and the rule would match more than was written. */
function refuseProto(input: unknown, context: z.RefinementCtx): unknown {
  if (typeof input === "object" && input !== null && Object.hasOwn(input, "__proto__")) {
    context.addIssue({ code: "custom", message: "a header cannot be named __proto__" });
  }
  return input;
}

/** All present conditions must hold; an empty match matches every request. */
export const MatchSchema = z.strictObject({
  methods: list("methods", oneOf("method", METHODS)).min(1).optional(),
  routes: list("routes", RoutePatternSchema).min(1).optional(),
  plans: list("plans", PlanIdSchema).min(1).optional(),
  authenticated: z
    .boolean({ error: (issue) => `authenticated must be true or false, got ${shown(issue.input)}` })
    .optional(),
  /** Header name to accepted values; an empty list accepts any value that is present. */
  headers: z.preprocess(refuseProto, headerValues).optional(),
  ips: list(
    "ips",
    z.string().refine((text) => parseCidr(text) !== null, {
      error: (issue) =>
        `ips must be addresses or CIDR ranges such as 198.51.100.0/24, got ${shown(issue.input)}`,
    }),
    1000,
  )
    .min(1)
    .optional(),
});

export type Match = z.output<typeof MatchSchema>;

export const COUNT_BY = ["client", "apiKey", "customer", "ip", "route", "plan", "global"] as const;

/** One part of what a rule counts by; `header:NAME` takes a request header's value. */
export const CountByPartSchema = z
  .string({ error: (issue) => `countBy must be text, got ${shown(issue.input)}` })
  .transform((text, context) => {
    if ((COUNT_BY as readonly string[]).includes(text)) return text;
    const name = text.startsWith("header:") ? text.slice("header:".length).toLowerCase() : "";
    if (HEADER_NAME.test(name)) return `header:${name}`;
    context.addIssue({
      code: "custom",
      message: `countBy must be one of ${COUNT_BY.join(", ")} or header:NAME, got ${shown(text)}`,
    });
    return z.NEVER;
  });

const COST_MAX = 1_000_000;

/**
 * Tokens that a request takes: a number; one for each route template, and `default` for the others; or what a header
 * says, if a trusted hop sent it: else, and where it is no whole number 1..1000000, `default`.
 */
export const CostSchema = z.union(
  [
    wholeNumber("cost", 1, COST_MAX),
    z.strictObject({
      routes: z.record(RoutePatternSchema, wholeNumber("cost", 1, COST_MAX)),
      default: wholeNumber("default", 1, COST_MAX).default(1),
    }),
    z.strictObject({
      header: headerName,
      default: wholeNumber("default", 1, COST_MAX).default(1),
    }),
  ],
  {
    error: (issue) =>
      `cost must be a whole number 1..${COST_MAX}, {routes, default} or {header, default}, got ${shown(issue.input)}`,
  },
);

export type Cost = z.output<typeof CostSchema>;

/** What a request takes where nothing else is known of it. */
export function defaultCost(cost: Cost): number {
  return typeof cost === "number" ? cost : cost.default;
}

/** A whole number 1..1000000 as a header's value, else null. */
export function costOfHeader(value: string | undefined): number | null {
  if (value === undefined || !/^[1-9][0-9]{0,6}$/.test(value.trim())) return null;
  const cost = Number(value);
  return cost <= COST_MAX ? cost : null;
}

export const PRECISIONS = ["exact", "leased", "approximate"] as const;
/** Most important first: shedders refuse from the end. */
export const PRIORITIES = ["critical", "normal", "sheddable", "test"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Of a rule, what each field alone must be. */
export const RuleFieldsSchema = z.strictObject({
  id: RuleIdSchema,
  name: textLine("name", 120),
  description: z.string().trim().max(2000).default(""),
  match: MatchSchema.default({}),
  countBy: list("countBy", CountByPartSchema, 4)
    .min(1, { error: "countBy needs at least one entry, such as client" })
    .refine((parts) => new Set(parts).size === parts.length, {
      error: "countBy names a part twice",
    })
    .refine((parts) => !parts.includes("global") || parts.length === 1, {
      error: "countBy global stands alone",
    }),
  limit: LimitSchema,
  cost: CostSchema.default(1),
  /** leased = busy gateways spend tokens that they took in advance; approximate = they count alone and sync each second. */
  precision: oneOf("precision", PRECISIONS).default("exact"),
  /** When Redis does not answer: `local` = this gateway's share of the limit, `open` = allow, `closed` = refuse. */
  failMode: oneOf("failMode", ["local", "open", "closed"]).default("local"),
  mode: ModeSchema.default("shadow"),
  /** In shadow: what would be refused passes, with a header that says so. Absent where it is not so. */
  warn: flag("warn").optional(),
  /** Of the requests that a shedder matches. */
  priority: oneOf("priority", PRIORITIES).default("normal"),
  /** Read by other programs; ignored by gateways. */
  meta: z.record(z.string(), z.unknown()).optional(),
});

// Said or left out, not warning is one content and one revision.
export const RuleSchema = RuleFieldsSchema.superRefine(refuseMisfits).overwrite((rule) => {
  if (rule.warn !== false) return rule;
  const { warn: _warn, ...rest } = rule;
  return rest;
});

export type Rule = z.output<typeof RuleSchema>;

/** The rule in another mode; out of shadow nobody is warned. */
export function inMode<R extends { warn?: boolean | undefined }, M extends Mode>(rule: R, mode: M) {
  const { warn, ...rest } = rule;
  return { ...rest, ...(mode === "shadow" && warn === true ? { warn } : {}), mode };
}

/** Fields that another field's value rules out. */
function refuseMisfits(
  rule: Pick<
    z.output<typeof RuleFieldsSchema>,
    "limit" | "countBy" | "cost" | "precision" | "mode" | "warn"
  >,
  context: z.RefinementCtx,
): void {
  const { limit, countBy, cost, precision, mode, warn } = rule;
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message });
  const isBucket = limit.kind === "rate" && limit.algorithm === "token-bucket";
  if (isShedder(limit) && !(countBy.length === 1 && countBy[0] === "global"))
    refuse("countBy", `a ${limit.kind} rule counts by global, got ${countBy.join(", ")}`);
  if (limit.kind !== "rate" && cost !== 1)
    refuse("cost", `a ${limit.kind} rule has cost 1, got ${shown(cost)}`);
  if (limit.kind !== "rate" && precision !== "exact")
    refuse("precision", `a ${limit.kind} rule is exact, got ${precision}`);
  if (warn === true && mode !== "shadow")
    refuse("warn", `warn is only of mode shadow, got mode ${mode}`);
  if (warn === true && isShedder(limit))
    refuse("warn", `a ${limit.kind} rule warns nobody: it is about no client, got warn true`);
  if (precision === "leased" && limit.kind === "rate" && !isBucket)
    refuse("precision", `leased needs algorithm token-bucket, got ${limit.algorithm}`);
}
