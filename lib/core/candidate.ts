import { z } from "zod";
import { shown } from "./parse";
import { PlanIdSchema } from "./plan";
import { type Rule, RuleFieldsSchema, RuleIdSchema, RuleSchema } from "./rule";

const percent = z
  .number({ error: (issue) => `share must be a number 0..100, got ${shown(issue.input)}` })
  .min(0, { error: (issue) => `share must be 0..100, got ${shown(issue.input)}` })
  .max(100, { error: (issue) => `share must be 0..100, got ${shown(issue.input)}` });

/** Percent of clients that get the candidate enforced, or a percent per plan (a plan that is not named: none). */
export const ShareSchema = z.union([percent, z.record(PlanIdSchema, percent)], {
  error: (issue) =>
    `share must be a number 0..100, or one for each plan, got ${shown(issue.input)}`,
});

export type Share = z.output<typeof ShareSchema>;

/** What runs beside a rule's live revision. `rule` is in mode enforce: what it is for its share, and once promoted. */
export const CandidateSchema = z
  .strictObject({ id: RuleIdSchema, share: ShareSchema.default(0), rule: RuleSchema })
  .superRefine(({ id, rule }, context) => {
    if (rule.id !== id)
      context.addIssue({
        code: "custom",
        path: ["rule", "id"],
        message: `a candidate is of the rule whose id it has: rule.id must be "${id}", got "${rule.id}"`,
      });
    if (rule.mode !== "enforce")
      context.addIssue({
        code: "custom",
        path: ["rule", "mode"],
        message: `a candidate is written as it would be enforced: mode must be enforce, got ${rule.mode}`,
      });
  });

/** As the draft takes it under the rule's id: both ids are in the address. */
export const CandidateFieldsSchema = z.strictObject({
  id: RuleIdSchema.optional(),
  share: ShareSchema.optional(),
  rule: RuleFieldsSchema.partial({ id: true }),
});

export type Candidate = z.output<typeof CandidateSchema>;

export function shareOfPlan(share: Share | undefined, plan: string): number {
  if (share === undefined) return 0;
  if (typeof share === "number") return share;
  return Object.hasOwn(share, plan) ? (share[plan] ?? 0) : 0;
}

/** Whether anybody at all gets the candidate enforced. */
export function isShared(share: Share | undefined): boolean {
  if (share === undefined) return false;
  return typeof share === "number" ? share > 0 : Object.values(share).some((each) => each > 0);
}

/** Whether the clients of any plan get more of it. */
export function isMoreShare(before: Share, after: Share, plans: readonly string[]): boolean {
  return plans.some((plan) => shareOfPlan(after, plan) > shareOfPlan(before, plan));
}

/** `10 % of clients`, `10 % of free, 50 % of paid`, `no client` */
export function shareWords(share: Share): string {
  if (typeof share === "number") return share === 0 ? "no client" : `${share} % of clients`;
  const parts = Object.entries(share).filter(([, each]) => each > 0);
  return parts.length === 0
    ? "no client"
    : parts.map(([plan, each]) => `${each} % of ${plan}`).join(", ");
}

/** A client's draw must mean something to the rule's buckets: 10 % of a bucket that all share is nobody. */
export function countsByClient({ countBy }: Pick<Rule, "countBy">): boolean {
  return countBy.some((part) => ["client", "apiKey", "customer", "ip"].includes(part));
}
