import { z } from "zod";
import { CountSchema, listOf } from "./common";

/** A plan with who is on it and what each rule gives it: GET /plans. `anonymous` comes last, with revision null. */
export const PlanRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  rank: z.int(),
  description: z.string(),
  protected: z.boolean(),
  revision: z.int().nullable(),
  customers: CountSchema,
  keys: CountSchema,
  limits: z.array(
    z.object({
      rule: z.string(),
      name: z.string(),
      mode: z.enum(["off", "shadow", "enforce"]),
      /** `60 per 1m`, `unlimited`, `no limit`; `shed above 1000 a second` */
      words: z.string(),
      from: z.enum(["perPlan", "anonymous", "default", "shedder", "none", "not matched"]),
    }),
  ),
});

export const PlanListSchema = listOf(PlanRowSchema).extend({ version: z.int() });

export type PlanRow = z.output<typeof PlanRowSchema>;
export type PlanList = z.output<typeof PlanListSchema>;
