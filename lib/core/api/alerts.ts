import { z } from "zod";
import { ALERT_KINDS, SEVERITIES } from "../alert";
import { oneOf } from "../parse";
import { flagQuery, InstantSchema, listOf, pageQuery } from "./common";

/** GET /alerts: open ones first, newest first. */
export const AlertListQuerySchema = z.strictObject({
  ...pageQuery,
  /** Only those that are not resolved. */
  open: flagQuery.optional(),
  kind: oneOf("kind", ALERT_KINDS).optional(),
  severity: oneOf("severity", SEVERITIES).optional(),
});

export const AlertRowSchema = z.object({
  id: z.string(),
  kind: z.string(),
  /** What it is about: a gateway id, a rule id, `redis`. */
  subject: z.string(),
  severity: z.enum(SEVERITIES),
  message: z.string(),
  raisedAt: InstantSchema,
  /** The last time it was reported. */
  lastAt: InstantSchema,
  resolvedAt: InstantSchema.nullable(),
  acknowledgedAt: InstantSchema.nullable(),
  acknowledgedBy: z.string().nullable(),
});

export const AlertListSchema = listOf(AlertRowSchema).extend({ open: z.int().min(0) });

export type AlertListQuery = z.output<typeof AlertListQuerySchema>;
export type AlertRow = z.output<typeof AlertRowSchema>;
export type AlertList = z.output<typeof AlertListSchema>;
