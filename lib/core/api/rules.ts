import { z } from "zod";
import { ShareSchema } from "../candidate";
import { ModeSchema, RuleIdSchema, RuleSchema } from "../rule";
import { CandidateDetailSchema } from "./candidate";
import { LintFindingSchema } from "./change";
import { ActorSchema, CountSchema, InstantSchema, listOf, oneOrMore, pageQuery } from "./common";

/** Hits of a rule now, from minute counts; the running minute is included and grows. */
export const RuleHitsSchema = z.object({
  /** What is counted: real rejections, or would-be ones. */
  mode: z.enum(["shadow", "enforce"]),
  /** In the last 60 to 120 seconds: the running minute and the one before it, scaled to one minute. */
  perMinuteNow: z.number().min(0),
  lastHour: CountSchema,
  requestsLastHour: CountSchema,
  /** Hits of the last 60 minutes, oldest first, the running one last. */
  sparkline: z.array(CountSchema),
  /** Hits in the same hour a day ago; null when nothing was counted then. */
  yesterday: CountSchema.nullable(),
});

/** A row of the rule list: GET /rules. */
export const RuleRowSchema = z.object({
  id: RuleIdSchema,
  name: z.string(),
  mode: ModeSchema,
  revision: z.int(),
  /** `60 per 1m per API key on POST /v1/links/** for plan free` */
  sentence: z.string(),
  countBy: z.array(z.string()),
  hits: RuleHitsSchema,
  /** The version in which this revision went live. */
  sinceVersion: z.int(),
  changedAt: InstantSchema,
  changedBy: ActorSchema,
  /** The caller's own draft touches this rule. */
  hasDraft: z.boolean(),
  /** What share of clients gets its candidate enforced; null when none is tried. */
  candidateShare: ShareSchema.nullable(),
});

export const RuleListSchema = listOf(RuleRowSchema).extend({
  /** Rules in all, before filters and paging. */
  total: CountSchema,
  version: z.int(),
  asOf: InstantSchema,
});

export const RuleListQuerySchema = z.strictObject({
  ...pageQuery,
  q: z.string().max(200).optional(),
  mode: oneOrMore(ModeSchema).optional(),
});

/** One revision of a rule in its history, newest first. */
export const RuleRevisionSchema = z.object({
  revision: z.int(),
  /** First version that held it. */
  version: z.int(),
  mode: ModeSchema,
  sentence: z.string(),
  /** What it changed against the revision before. */
  change: z.string(),
  createdAt: InstantSchema,
  actor: ActorSchema,
  live: z.boolean(),
  /** False for one that was only tried beside the live one: it is no way back. */
  wasLive: z.boolean(),
});

/** GET /rules/{id}. */
export const RuleDetailSchema = RuleRowSchema.extend({
  version: z.int(),
  slot: z.int(),
  rule: RuleSchema,
  /** What each plan gets: `{plan: "free", words: "60 per 1m", from: "perPlan"}`. */
  perPlan: z.array(
    z.object({
      plan: z.string(),
      words: z.string(),
      from: z.enum(["perPlan", "anonymous", "default", "shedder", "none", "not matched"]),
    }),
  ),
  revisions: z.array(RuleRevisionSchema),
  /** What is tried beside it; null when nothing is. */
  candidate: CandidateDetailSchema.nullable(),
  lint: z.array(LintFindingSchema),
});

export type RuleHits = z.output<typeof RuleHitsSchema>;
export type RuleRow = z.output<typeof RuleRowSchema>;
export type RuleList = z.output<typeof RuleListSchema>;
export type RuleListQuery = z.output<typeof RuleListQuerySchema>;
export type RuleRevision = z.output<typeof RuleRevisionSchema>;
export type RuleDetail = z.output<typeof RuleDetailSchema>;
