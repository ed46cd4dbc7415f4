import { z } from "zod";
import { ModeSchema } from "../rule";
import { CountSchema } from "./common";
import { HitRowSchema } from "./hits";
import { OverrideRowSchema } from "./overrides";

/** GET /clients/{id}: why was this one limited? Buckets are read, never charged. */
export const ClientDetailSchema = z.object({
  client: z.string(),
  plan: z.string(),
  customer: z.string().nullable(),
  name: z.string().nullable(),
  overrides: z.array(OverrideRowSchema),
  buckets: z.array(
    z.object({
      rule: z.string(),
      mode: ModeSchema,
      /** `60 per 1m` */
      limit: z.string(),
      remaining: CountSchema,
      /** Until one whole token is there; 0 when it is. */
      resetMs: CountSchema,
    }),
  ),
  /** The newest sampled hits over all rules. */
  decisions: z.array(HitRowSchema.extend({ rule: z.string() })),
});

export type ClientDetail = z.output<typeof ClientDetailSchema>;
