import { z } from "zod";
import { oneOf } from "../parse";
import { FieldDiffSchema } from "./change";
import { ActorSchema, InstantSchema, instantInput, listOf, pageQuery } from "./common";

/** GET /audit, newest first. */
export const AuditQuerySchema = z.strictObject({
  ...pageQuery,
  from: instantInput("from").optional(),
  to: instantInput("to").optional(),
  /** An actor's id, with or without its type, or a part of its name. */
  actor: z.string().trim().min(1).max(200).optional(),
  /** `rule.mode`, or a prefix such as `rule.` */
  action: z.string().min(1).max(100).optional(),
  kind: z.string().min(1).max(50).optional(),
  object: z.string().min(1).max(200).optional(),
  version: z.coerce.number().pipe(z.int().min(0)).optional(),
  /** What kind of actor. */
  by: ActorSchema.shape.type.optional(),
  /** Text within the sentence or the reason, in any case. */
  q: z.string().trim().min(1).max(200).optional(),
});

/** GET /audit/export: the same search, all of it. */
export const AuditExportQuerySchema = AuditQuerySchema.omit({ limit: true, cursor: true }).extend({
  format: oneOf("format", ["csv", "json"]),
});

export const AuditRowSchema = z.object({
  id: z.string(),
  at: InstantSchema,
  actor: ActorSchema,
  action: z.string(),
  kind: z.string(),
  objectId: z.string(),
  /** `Dana set rule per-key-rate to enforce` */
  sentence: z.string(),
  reason: z.string(),
  version: z.int().nullable(),
  diff: z.array(FieldDiffSchema),
  details: z.record(z.string(), z.unknown()),
});

export const AuditListSchema = listOf(AuditRowSchema);

export type AuditQuery = z.output<typeof AuditQuerySchema>;
export type AuditRow = z.output<typeof AuditRowSchema>;
export type AuditList = z.output<typeof AuditListSchema>;
