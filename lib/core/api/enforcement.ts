import { z } from "zod";
import { GuardrailSchema } from "../guardrail";
import { VERDICTS } from "../guardrail-judgement";
import { textLine } from "../parse";
import { ActorSchema, CountSchema, InstantSchema } from "./common";

export const ENFORCEMENT_STATES = ["watching", "held", "undone", "passed", "ended"] as const;

/** In requests that enforce: the bounds for this change. null: none are wanted; left out: those of the settings. */
export const wantedGuardrail = GuardrailSchema.nullable().optional();

const share = z.number().min(0).max(1).nullable();

/** Requests that the rule matched, and of these the ones it refused; without requests there is no share. */
const FiguresSchema = z.object({
  requests: CountSchema,
  rejections: CountSchema,
  share,
  byPlan: z.array(
    z.object({ plan: z.string(), requests: CountSchema, rejections: CountSchema, share }),
  ),
});

/** GET /rules/{id}/enforcement: the last change that made the rule enforced or stricter, and how it fares. */
export const EnforcementSchema = z.object({
  id: z.string(),
  rule: z.string(),
  /** `candidate`: what a share of clients gets. */
  lane: z.enum(["live", "candidate"]),
  revision: z.int(),
  /** The version that enforces it. */
  version: z.int(),
  since: InstantSchema,
  by: ActorSchema,
  /** In words: `shadow → enforce`. */
  change: z.string(),
  /** What an undo goes back to, in words; null when it cannot be undone alone. */
  undoTo: z.string().nullable(),
  /** The bounds in force; null: none were wanted. */
  guardrail: GuardrailSchema.nullable(),
  /** Ids of the plans that are marked protected now. */
  protectedPlans: z.array(z.string()),
  /** What shadow had counted when it was enforced, never changed since; null when it had counted nothing. */
  predicted: FiguresSchema.extend({ from: InstantSchema, to: InstantSchema }).nullable(),
  /** What was counted since, on gateways that enforce it. */
  actual: FiguresSchema,
  /** The actual share by the predicted one; null while either is unknown, or nothing was predicted. */
  ratio: z.number().min(0).nullable(),
  /** watching and held are open; undone, passed and ended are final. */
  state: z.enum(ENFORCEMENT_STATES),
  stateAt: InstantSchema,
  /** Why it is held: a bound was crossed (until a person acts), or data is missing (until it comes). */
  heldFor: z.enum(["crossing", "data"]).nullable(),
  /** The last look; null before the first. */
  judgement: z
    .object({
      at: InstantSchema,
      verdict: z.enum(VERDICTS),
      /** With the measured values, a sentence each; empty when all is within bounds. */
      why: z.array(z.string()),
      crossedSince: InstantSchema.nullable(),
      /** What the shares were judged on: the last seconds, more of them where requests are few. */
      window: z.object({
        seconds: z.number().min(0),
        requests: CountSchema,
        rejections: CountSchema,
        share,
      }),
      /** Refused since it is watched, or watched anew: what the bound on protected plans is judged on. */
      rejectionsByPlan: z.array(z.object({ plan: z.string(), rejections: CountSchema })),
      /** What was not known at this look, a sentence each: such time is not counted as watched. */
      missing: z.array(z.string()),
    })
    .nullable(),
  /** Of the guardrail's `watchSeconds`, those that were watched with whole data. */
  watchedSeconds: z.number().min(0),
  /** Whether the rule is no longer as this change made it. */
  changedSince: z.boolean(),
  /** The version that took it back. */
  undoneBy: z.int().nullable(),
  /** Who ended the watch by hand, or took the rule out of it; null for the guardrail itself. */
  endedBy: ActorSchema.nullable(),
  /** How it ended, in a sentence; null while it is open. */
  outcome: z.string().nullable(),
});

/** PUT /rules/{id}/enforcement: other bounds from now on; what was held is watched anew. */
export const EnforcementBoundsRequestSchema = z.strictObject({
  guardrail: GuardrailSchema,
  reason: textLine("reason", 500),
});

/** POST /rules/{id}/enforcement/end: the change stays, unwatched. */
export const EnforcementEndRequestSchema = z.strictObject({ reason: textLine("reason", 500) });

export type Enforcement = z.output<typeof EnforcementSchema>;
export type EnforcementFigures = z.output<typeof FiguresSchema>;
