import { z } from "zod";
import { ClientIdSchema } from "../client-id";
import { AmountSchema } from "../limit";
import { textLine } from "../parse";
import { RuleIdSchema } from "../rule";
import { InstantSchema, instantInput, listOf } from "./common";

/** PUT /overrides/{id}: a limit for one client and rule that beats its plan, until it expires. */
export const OverrideWriteSchema = z.strictObject({
  client: ClientIdSchema,
  rule: RuleIdSchema,
  limit: AmountSchema,
  owner: textLine("owner", 120),
  reason: textLine("reason", 500),
  expiresAt: instantInput("expiresAt"),
});

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
  state: z.enum(["active", "expired", "ended"]),
});

export const OverrideListSchema = listOf(OverrideRowSchema);

export type OverrideWrite = z.output<typeof OverrideWriteSchema>;
export type OverrideRow = z.output<typeof OverrideRowSchema>;
