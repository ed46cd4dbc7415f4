import { z } from "zod";
import { ShareSchema } from "../candidate";
import { durationSeconds, durationText } from "../duration";
import { flag, textLine, wholeNumber } from "../parse";
import { ActorSchema, InstantSchema } from "./common";
import { wantedGuardrail } from "./enforcement";

const RAMP_STEPS_MAX = 20;
const HOLD_MAX_S = 30 * 86_400;

export const RAMP_STATES = ["running", "paused", "done", "stopped", "cancelled"] as const;

const RampStepInputSchema = z.strictObject({
  share: ShareSchema,
  /** How long it stays at this share before the next step; of the last step it may be left out. */
  hold: durationText("hold", HOLD_MAX_S).optional(),
});

const reason = textLine("reason", 500);

/** POST /rules/{id}/ramp. */
export const RampRequestSchema = z
  .strictObject({
    /** The first is taken at once. */
    steps: z
      .array(RampStepInputSchema)
      .min(2, { error: "steps must be at least 2: a single one is a share" })
      .max(RAMP_STEPS_MAX, { error: `steps must be at most ${RAMP_STEPS_MAX}` }),
    reason,
    /** 409 unless this is the current version. */
    expectVersion: wholeNumber("expectVersion", 0, 2_147_483_647).optional(),
    /** Also of the later steps. */
    acknowledgeGaps: flag("acknowledgeGaps").optional(),
    acknowledgeRadius: flag("acknowledgeRadius").optional(),
    guardrail: wantedGuardrail,
  })
  .superRefine(({ steps }, context) => {
    for (const [i, { hold }] of steps.slice(0, -1).entries())
      if (hold === undefined)
        context.addIssue({
          code: "custom",
          path: ["steps", i, "hold"],
          message: `step ${i + 1} must say how long it holds, such as 30m: only the last one may leave that out`,
        });
  });

/** POST /rules/{id}/ramp/pause; DELETE takes the reason in the query. */
export const RampReasonSchema = z.strictObject({ reason });
export const RampCancelQuerySchema = z.strictObject({ reason: reason.optional() });

/** POST /rules/{id}/ramp/resume. */
export const RampResumeRequestSchema = z.strictObject({
  reason,
  acknowledgeGaps: flag("acknowledgeGaps").optional(),
  acknowledgeRadius: flag("acknowledgeRadius").optional(),
});

export const RampSchema = z.object({
  id: z.string(),
  rule: z.string(),
  state: z.enum(RAMP_STATES),
  steps: z.array(
    z.object({
      share: ShareSchema,
      /** `10 % of clients` */
      words: z.string(),
      hold: z.string().nullable(),
      /** When it was taken, as which version; null before that. */
      at: InstantSchema.nullable(),
      version: z.int().nullable(),
    }),
  ),
  /** How many steps were taken. */
  taken: z.int().min(0),
  /** When the next step is due; null when none is, or while it is paused. */
  nextAt: InstantSchema.nullable(),
  /** While paused: how long after it goes on. */
  leftSeconds: z.int().min(0).nullable(),
  /** Why the step that is due is not taken yet; it is tried again by itself. */
  held: z.string().nullable(),
  heldSince: InstantSchema.nullable(),
  actor: ActorSchema,
  reason: z.string(),
  createdAt: InstantSchema,
  acknowledgeGaps: z.boolean(),
  acknowledgeRadius: z.boolean(),
  endedAt: InstantSchema.nullable(),
  endedBy: ActorSchema.nullable(),
  /** How it ended, or why it is paused, in a sentence. */
  outcome: z.string().nullable(),
});

/** GET /rules/{id}/ramp: the one that is open, else the last one. */
export type Ramp = z.output<typeof RampSchema>;
export type RampRequest = z.output<typeof RampRequestSchema>;

export function holdMs({ hold }: { hold?: string | null | undefined }): number {
  return (durationSeconds(hold ?? "") ?? 0) * 1000;
}
