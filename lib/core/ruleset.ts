import { z } from "zod";
import { ShareSchema } from "./candidate";
import { GuardrailSchema } from "./guardrail";
import { IdentitySettingsSchema } from "./identity-settings";
import { ListsSchema } from "./list-entry";
import { shown, wholeNumber } from "./parse";
import { PlanIdSchema, PlanSchema } from "./plan";
import { RoutePatternSchema, RuleIdSchema, RuleSchema } from "./rule";
import { TapeSettingsSchema } from "./tape-settings";

export const RULES_MAX = 10_000;
export const SLOT_MAX = 4_294_967_295;

export const SettingsSchema = z.strictObject({
  /** A presented key that is unknown or revoked: counted as anonymous by IP, or answered with 401. */
  unknownKey: z.enum(["anonymous", "reject"]).default("anonymous"),
  /** Plan of a presented key while a gateway's directory is not complete. */
  incompleteDirectoryPlan: PlanIdSchema.default("free"),
  /** CORS preflights (OPTIONS with Origin and Access-Control-Request-Method) cost nothing. */
  exemptPreflight: z.boolean().default(true),
  /** Where the key, the client and its address are read from. */
  identity: IdentitySettingsSchema.prefault({}),
  /** Bits of an IPv6 address that are one client. */
  ipv6PrefixLength: wholeNumber("ipv6PrefixLength", 32, 128).default(64),
  /** Paths that differ only in case are one path. */
  caseInsensitivePaths: z.boolean().default(false),
  headers: z
    .strictObject({
      /** X-RateLimit-Limit, -Remaining, -Reset. */
      xRateLimit: z.boolean().default(true),
      /** The IETF draft's RateLimit and RateLimit-Policy. */
      draft: z.boolean().default(true),
      /** Access-Control-Expose-Headers on answers that carry them. */
      expose: z.boolean().default(true),
    })
    .prefault({}),
  /** When a shadow report is evidence enough to enforce. */
  evidence: z
    .strictObject({
      minSeconds: wholeNumber("minSeconds", 1, 30 * 86_400).default(3600),
      minRequests: wholeNumber("minRequests", 1, 1_000_000_000).default(1000),
      maxDroppedShare: z.number().min(0).max(1).default(0.01),
    })
    .prefault({}),
  /** A change that would hit more than either needs a confirmation of its own. */
  confirmAbove: z
    .strictObject({
      /** Clients with at least one request refused. */
      clients: wholeNumber("clients", 0, 1_000_000_000).default(10),
      /** Of the requests that the rule matches, 0..1. */
      share: z
        .number({ error: (issue) => `share must be a number 0..1, got ${shown(issue.input)}` })
        .min(0, { error: "share must be at least 0" })
        .max(1, { error: "share must be at most 1" })
        .default(0.05),
    })
    .prefault({}),
  /** What a change that becomes enforced or stricter is watched by, unless it says otherwise; null: by nothing. */
  guardrail: GuardrailSchema.nullable().prefault({}),
  /** The sample of requests that backtests run on. */
  tape: TapeSettingsSchema.prefault({}),
});

export type Settings = z.output<typeof SettingsSchema>;

/** One published state of a rule: its revision number and the slot its counters live in. */
export const RevisionEntrySchema = z.strictObject({
  revision: z.int().min(1),
  slot: z.int().min(1).max(SLOT_MAX),
  rule: RuleSchema,
});

export type RevisionEntry = z.output<typeof RevisionEntrySchema>;

export const RuleEntrySchema = z
  .strictObject({
    id: RuleIdSchema,
    live: RevisionEntrySchema.optional(),
    candidate: RevisionEntrySchema.optional(),
    /** Percent of clients that get the candidate enforced, or a percent per plan. */
    share: ShareSchema.optional(),
  })
  .refine((entry) => entry.live !== undefined || entry.candidate !== undefined, {
    error: "a rule needs a live or a candidate revision",
  })
  .refine((entry) => entry.live?.slot !== entry.candidate?.slot, {
    path: ["candidate", "slot"],
    error: "a candidate counts in a slot of its own, not in its live revision's",
  });

export type RuleEntry = z.output<typeof RuleEntrySchema>;

/** The content of a version, as gateways load it. */
export const BodySchema = z
  .strictObject({
    settings: SettingsSchema.prefault({}),
    lists: ListsSchema.prefault({}),
    routes: z.array(RoutePatternSchema).max(10_000).default([]),
    plans: z.array(PlanSchema).max(1000),
    rules: z.array(RuleEntrySchema).max(RULES_MAX),
    meta: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine((body, context) => {
    for (const kind of ["plans", "rules"] as const) {
      const seen = new Set<string>();
      for (const [index, { id }] of body[kind].entries()) {
        if (seen.has(id)) {
          context.addIssue({
            code: "custom",
            path: [kind, index, "id"],
            message: `"${id}" occurs twice in ${kind}`,
          });
        }
        seen.add(id);
      }
    }
  });

export type Body = z.output<typeof BodySchema>;
