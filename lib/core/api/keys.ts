import { z } from "zod";
import { slug, textLine } from "../parse";
import { PlanIdSchema } from "../plan";
import { flagQuery, InstantSchema, listOf, pageQuery } from "./common";

/** POST /keys: an unknown customer is made with this plan, a known one must have it (else 409). */
export const KeyCreateRequestSchema = z.strictObject({
  plan: PlanIdSchema,
  customer: slug("customer").optional(),
  name: textLine("name", 120).optional(),
});

/** The key itself is in this answer only. The client id is `key:<id>`. */
export const KeyCreatedSchema = z.object({
  id: z.string(),
  key: z.string(),
  prefix: z.string(),
  plan: z.string(),
  customer: z.string(),
  name: z.string(),
});

export const KeyRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  customer: z.string(),
  plan: z.string(),
  prefix: z.string(),
  createdAt: InstantSchema,
  revokedAt: InstantSchema.nullable(),
});

export const KeyListSchema = listOf(KeyRowSchema).extend({ total: z.int().min(0) });

/** GET /keys?prefix&customer&plan; revoked ones only on request. */
export const KeyListQuerySchema = z.strictObject({
  ...pageQuery,
  prefix: z.string().min(1).max(64).optional(),
  customer: z.string().min(1).max(64).optional(),
  plan: PlanIdSchema.optional(),
  revoked: flagQuery.optional(),
});

/** PATCH /keys/{id}. A key's plan is its customer's: changing it moves the customer and all its keys. */
export const KeyPatchRequestSchema = z
  .strictObject({
    name: textLine("name", 120).optional(),
    plan: PlanIdSchema.optional(),
  })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), {
    error: "nothing to change: give name or plan",
  });

export type KeyCreateRequest = z.output<typeof KeyCreateRequestSchema>;
export type KeyCreated = z.output<typeof KeyCreatedSchema>;
export type KeyRow = z.output<typeof KeyRowSchema>;
export type KeyList = z.output<typeof KeyListSchema>;
export type KeyListQuery = z.output<typeof KeyListQuerySchema>;
export type KeyPatchRequest = z.output<typeof KeyPatchRequestSchema>;
