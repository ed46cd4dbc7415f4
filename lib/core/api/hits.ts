import { z } from "zod";
import { CountSchema, InstantSchema, instantInput, listOf, pageQuery } from "./common";

/** GET /rules/{id}/hits: the log of rejections, real and would-be, newest first. */
export const HitsQuerySchema = z.strictObject({
  ...pageQuery,
  from: instantInput("from").optional(),
  to: instantInput("to").optional(),
  client: z.string().min(1).max(200).optional(),
  plan: z.string().min(1).max(64).optional(),
  route: z.string().min(1).max(300).optional(),
  mode: z.enum(["shadow", "enforce"]).optional(),
  revision: z.coerce.number().pipe(z.int().min(1)).optional(),
});

export const HitRowSchema = z.object({
  at: InstantSchema,
  requestId: z.string(),
  client: z.string(),
  plan: z.string(),
  method: z.string(),
  route: z.string(),
  gateway: z.string(),
  version: z.int(),
  revision: z.int(),
  mode: z.enum(["shadow", "enforce"]),
  /** `candidate`: of the revision that is tried beside the live one. */
  lane: z.enum(["live", "candidate"]),
  /** Null when waiting does not help: the cost is above the burst. */
  retryAfterSeconds: z.int().nullable(),
});

export const HitListSchema = listOf(HitRowSchema).extend({
  /** Hits of the rule seen and kept in the interval, over all clients: the log is a sample when they differ. */
  sampling: z.object({ seen: CountSchema, kept: CountSchema, share: z.number().min(0).max(1) }),
});

export type HitsQuery = z.output<typeof HitsQuerySchema>;
export type HitRow = z.output<typeof HitRowSchema>;
export type HitList = z.output<typeof HitListSchema>;
