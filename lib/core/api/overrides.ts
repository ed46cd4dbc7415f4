import { z } from "zod";
import { ClientIdSchema } from "../client-id";
import { AmountSchema } from "../limit";
import { oneOf, textLine } from "../parse";
import { RuleIdSchema } from "../rule";
import { InstantSchema, instantInput, listOf, pageQuery } from "./common";

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
const OVERRIDE_STATES = ["active", "ignored", "expired", "ended"] as const;

export const OverrideRowSchema = z.object({
  id: z.string(),
  client: z.string(),
  rule: z.string(),
  limit: AmountSchema,
  /** `600 per 1m` */
  words: z.string(),
  owner: z.string(),
  reason: z.string(),
  createdAt: InstantSchema,
  expiresAt: InstantSchema,
  state: z.enum(OVERRIDE_STATES),
  /** Of an ignored one, the reason; else empty. */
  why: z.string(),
});

export const OverrideListSchema = listOf(OverrideRowSchema);

/** GET /overrides: those that have not ended, the soonest to expire first; `show=all`: ended ones, too. */
export const OverrideListQuerySchema = z.strictObject({
  ...pageQuery,
  client: ClientIdSchema.optional(),
  rule: RuleIdSchema.optional(),
  show: oneOf("show", ["current", "all"]).default("current"),
});

export type OverrideWrite = z.output<typeof OverrideWriteSchema>;
export type OverrideRow = z.output<typeof OverrideRowSchema>;
export type OverrideList = z.output<typeof OverrideListSchema>;
