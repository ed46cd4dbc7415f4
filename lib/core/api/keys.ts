import { z } from "zod";
import { slug, textLine, wholeNumber } from "../parse";
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
  /** To the hour, as gateways say it; null: not since this was counted. */
  lastUsedAt: InstantSchema.nullable(),
  /** Until when a text that was rotated out still works; null when none does. */
  previousUntil: InstantSchema.nullable(),
});

/** Counting millions takes seconds: a list counts up to here. */
export const KEYS_COUNTED = 10_000;

export const KeyListSchema = listOf(KeyRowSchema).extend({
  /** Of all pages, up to 10,000. */
  total: z.int().min(0),
  /** Whether there are just so many, or at least. */
  totalIs: z.enum(["exact", "at-least"]),
});

/** POST /keys/{id}/rotate. How long the old text still works: 0 ends it at once. */
export const KeyRotateRequestSchema = z.strictObject({
  graceHours: wholeNumber("graceHours", 0, 720),
});

/** The key itself is in this answer only; its id, counters and overrides are as before. */
export const KeyRotatedSchema = KeyCreatedSchema.extend({
  previousUntil: InstantSchema.nullable(),
});

/** GET /keys?prefix&customer&plan; revoked ones only on request. `find` is the beginning of a customer's id. */
export const KeyListQuerySchema = z.strictObject({
  ...pageQuery,
  prefix: z.string().min(1).max(512).optional(),
  customer: z.string().min(1).max(64).optional(),
  find: z.string().min(1).max(64).optional(),
  plan: PlanIdSchema.optional(),
  revoked: flagQuery.optional(),
});

/** GET /keys/export: the same filters, without pages. */
export const KeyExportQuerySchema = KeyListQuerySchema.omit({ limit: true, cursor: true }).extend({
  /** With the keyed hashes, by which another installation with the same root secret knows the keys. */
  hashes: flagQuery.optional(),
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
export type KeyRotated = z.output<typeof KeyRotatedSchema>;
export type KeyRow = z.output<typeof KeyRowSchema>;
export type KeyList = z.output<typeof KeyListSchema>;
export type KeyListQuery = z.output<typeof KeyListQuerySchema>;
export type KeyPatchRequest = z.output<typeof KeyPatchRequestSchema>;
