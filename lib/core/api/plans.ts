import { z } from "zod";
import type { AmountComparison } from "../amount-compare";
import type { Mode } from "../rule";
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

/** Whose limits a change moves: a plan's clients, with what each rule gives them before and after it. */
export type PlanEffects = {
  plan: string;
  name: string;
  /** The change takes the plan itself away. */
  isRemoved: boolean;
  customers: number;
  keys: number;
  rules: {
    rule: string;
    name: string;
    mode: Mode;
    /** `60 per 1m`, `no limit`, `not matched` */
    before: string;
    after: string;
    direction: AmountComparison["direction"];
    /** `10 times stricter` */
    words: string;
    isLoud: boolean;
  }[];
};

export type PlanRow = z.output<typeof PlanRowSchema>;
export type PlanList = z.output<typeof PlanListSchema>;
