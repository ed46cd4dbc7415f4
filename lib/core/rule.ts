import { z } from "zod";
import { parseCidr } from "./ip";
import { LimitSchema } from "./limit";
import { oneOf, shown, slug, textLine, wholeNumber } from "./parse";
import { PlanIdSchema } from "./plan";

export const MODES = ["off", "shadow", "enforce"] as const;
export const ModeSchema = oneOf("mode", MODES);
export type Mode = z.output<typeof ModeSchema>;

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Ids that start with `_` are the product's own (`_deny`, `_flood`); the slug form excludes them. */
export const RuleIdSchema = slug("rule id");

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
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

export const RuleSchema = z.strictObject({
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
  /** Tokens a request takes. */
  cost: wholeNumber("cost", 1, 1_000_000).default(1),
  precision: oneOf("precision", ["exact"]).default("exact"),
  /** When Redis does not answer: `local` = this gateway's share of the limit, `open` = allow, `closed` = refuse. */
  failMode: oneOf("failMode", ["local", "open", "closed"]).default("local"),
  mode: ModeSchema.default("shadow"),
  priority: oneOf("priority", ["critical", "normal", "sheddable", "test"]).default("normal"),
  /** Read by other programs; ignored by gateways. */
  meta: z.record(z.string(), z.unknown()).optional(),
});

export type Rule = z.output<typeof RuleSchema>;
