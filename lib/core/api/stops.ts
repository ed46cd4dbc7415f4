import { z } from "zod";
import { slug, textLine, wholeNumber } from "../parse";
import { ActorSchema, flagQuery, InstantSchema, listOf, pageQuery } from "./common";
import { PublishedSchema } from "./publish";

export const STOP_MINUTES_MAX = 7 * 24 * 60;

/** POST /stops: enforced rules to shadow, for a time. */
export const StopRequestSchema = z.strictObject({
  rules: z.union([z.literal("all"), z.array(slug("rule id")).min(1).max(10_000)], {
    error: 'rules must be "all" or a list of ids',
  }),
  reason: textLine("reason", 500),
  minutes: wholeNumber("minutes", 1, STOP_MINUTES_MAX).default(60),
  /** 409 unless this is the current version. */
  expectVersion: wholeNumber("expectVersion", 0, 2_147_483_647).optional(),
});

/** POST /stops/{id}/end; an empty body is fine. */
export const StopEndRequestSchema = z.strictObject({ reason: textLine("reason", 500).optional() });

export const StopSchema = z.object({
  id: z.string(),
  /** `all` is what was asked; `rules` those that it set to shadow. */
  scope: z.enum(["all", "rules"]),
  rules: z.array(z.string()),
  reason: z.string(),
  actor: ActorSchema,
  version: z.int(),
  createdAt: InstantSchema,
  expiresAt: InstantSchema,
  endedAt: InstantSchema.nullable(),
  endedBy: ActorSchema.nullable(),
  /** The version that enforces again. */
  endedVersion: z.int().nullable(),
  /** What the end did, or why it is late. */
  outcome: z.string().nullable(),
});

export const StopListSchema = listOf(StopSchema);

/** GET /stops: those in force, or `all=true` of them. */
export const StopListQuerySchema = z.strictObject({ ...pageQuery, all: flagQuery.optional() });

export const StopMadeSchema = PublishedSchema.extend({ stop: StopSchema });

export type Stop = z.output<typeof StopSchema>;
export type StopList = z.output<typeof StopListSchema>;
export type StopMade = z.output<typeof StopMadeSchema>;
