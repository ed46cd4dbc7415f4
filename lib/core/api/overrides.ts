import { z } from "zod";
import { ClientIdSchema } from "../client-id";
import { AmountSchema } from "../limit";
import { oneOf, textLine, wholeNumber } from "../parse";
import { RuleIdSchema } from "../rule";
import { CountSchema, InstantSchema, instantInput, listOf, pageQuery } from "./common";

/** PUT /overrides/{id}: a limit for one client and rule that beats its plan, until it expires. */
export const OverrideWriteSchema = z.strictObject({
  client: ClientIdSchema,
  rule: RuleIdSchema,
  limit: AmountSchema,
  owner: textLine("owner", 120),
  reason: textLine("reason", 500),
  expiresAt: instantInput("expiresAt"),
});

/** ignored = it has not ended, and gateways pass it over: its rule went, or became another kind. */
export const OVERRIDE_STATES = ["active", "ignored", "expired", "ended"] as const;

/** A client, as people know it. */
const ClientFactsSchema = z.object({
  /** A key's name, a customer's; empty for an address. */
  name: z.string(),
  /** A key's first characters; empty for others. */
  prefix: z.string(),
  /** As gateways have it: `anonymous` for an address, `default` where the client's plan is not in the live version. */
  plan: z.string(),
});

export const OverrideRowSchema = z.object({
  id: z.string(),
  client: z.string(),
  clientFacts: ClientFactsSchema,
  rule: z.string(),
  /** Empty when the live version does not have it. */
  ruleName: z.string(),
  limit: AmountSchema,
  /** `600 per 1m` */
  words: z.string(),
  /**
   * What the client would get without it: `60 per 1m`, `no limit`; `not matched` by the rule, so that it changes
   * nothing. Empty when it is ignored, or holds for keys of several plans.
   */
  planWords: z.string(),
  /** Seen from the client; null when planWords has no limit to compare with. */
  change: z
    .object({
      direction: z.enum(["same", "stricter", "looser", "mixed"]),
      /** How many times; null where a limit appears or disappears. */
      factor: z.number().nullable(),
      /** `10 times looser` */
      words: z.string(),
    })
    .nullable(),
  owner: z.string(),
  reason: z.string(),
  createdAt: InstantSchema,
  expiresAt: InstantSchema,
  endedAt: InstantSchema.nullable(),
  /** When a gateway last decided by it, to the minute; null: not yet. */
  lastUsedAt: InstantSchema.nullable(),
  state: z.enum(OVERRIDE_STATES),
  /** Of an ignored one, the reason; else empty. */
  why: z.string(),
});

export const OverrideListSchema = listOf(OverrideRowSchema).extend({ total: CountSchema });

/**
 * GET /overrides: those that have not ended, the soonest to expire first. With `show=all` or a state of the past,
 * the latest to expire first.
 */
export const OverrideListQuerySchema = z.strictObject({
  ...pageQuery,
  client: ClientIdSchema.optional(),
  rule: RuleIdSchema.optional(),
  show: oneOf("show", ["current", "all"]).default("current"),
  state: oneOf("state", OVERRIDE_STATES).optional(),
  /** Only those that run out within so many days. */
  expiresWithinDays: z.coerce
    .number()
    .pipe(wholeNumber("expiresWithinDays", 1, 366))
    .optional(),
  /** In id, client, its name or key prefix, rule, owner, reason. */
  q: z.string().trim().max(200).optional(),
});

export type OverrideWrite = z.output<typeof OverrideWriteSchema>;
export type OverrideWriteInput = z.input<typeof OverrideWriteSchema>;
export type OverrideState = (typeof OVERRIDE_STATES)[number];
export type OverrideRow = z.output<typeof OverrideRowSchema>;
export type OverrideList = z.output<typeof OverrideListSchema>;
export type OverrideListQuery = z.output<typeof OverrideListQuerySchema>;
export type ClientFacts = z.output<typeof ClientFactsSchema>;
/** One that an override may be given to; `customer` is whose it is. */
export type FoundClient = ClientFacts & { client: string; customer: string };
