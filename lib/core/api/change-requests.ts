import { z } from "zod";
import { flag, oneOf, textLine } from "../parse";
import { ObjectChangeSchema } from "./change";
import { ActorSchema, InstantSchema, listOf, pageQuery } from "./common";

const STATES = ["open", "approved", "rejected", "withdrawn"] as const;

export const ChangeRequestQuerySchema = z.strictObject({
  ...pageQuery,
  state: oneOf("state", STATES).optional(),
});

export const ApproveRequestSchema = z.strictObject({
  /** What was looked at: 409 when it is not that any more. */
  contentHash: z
    .string({ error: "contentHash must be the one that was looked at" })
    .min(1)
    .max(100),
});

export const RejectRequestSchema = z.strictObject({ reason: textLine("reason", 500) });

export const ApprovalSettingSchema = z.object({
  /** What becomes enforced or stricter waits for a second person. */
  required: flag("required"),
});

export const BecauseSchema = z.array(z.object({ rule: z.string(), why: z.string() }));

export const ChangeRequestRowSchema = z.object({
  id: z.string(),
  actor: ActorSchema,
  message: z.string(),
  baseVersion: z.int(),
  contentHash: z.string(),
  /** Why it needs a second person: a rule each. */
  because: BecauseSchema,
  /** The author saw that evidence was missing. */
  acknowledgeGaps: z.boolean(),
  /** The author saw that more are hit than `confirmAbove` says. */
  acknowledgeRadius: z.boolean(),
  state: z.enum(STATES),
  /** Why an open one can no longer be approved; null while it can. */
  outdated: z.string().nullable(),
  /** Why the one who asks may not approve it; null when they may. */
  refused: z.string().nullable(),
  createdAt: InstantSchema,
  decidedAt: InstantSchema.nullable(),
  decidedBy: ActorSchema.nullable(),
  reason: z.string(),
  version: z.int().nullable(),
  /** Against its base. */
  changes: z.array(ObjectChangeSchema),
});

export const ChangeRequestListSchema = listOf(ChangeRequestRowSchema);

export type ChangeRequestRow = z.output<typeof ChangeRequestRowSchema>;
export type ChangeRequestList = z.output<typeof ChangeRequestListSchema>;
export type ApprovalSetting = z.output<typeof ApprovalSettingSchema>;
