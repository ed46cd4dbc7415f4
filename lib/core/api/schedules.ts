import { z } from "zod";
import { flag, oneOf, textLine, wholeNumber } from "../parse";
import { ObjectKindSchema } from "./change";
import { ActorSchema, InstantSchema, instantInput, listOf, pageQuery } from "./common";
import { wantedGuardrail } from "./enforcement";

export const SCHEDULE_STATES = ["waiting", "published", "refused", "cancelled"] as const;

/** POST /schedules: the caller's draft, as it is now, becomes a version at a time. */
export const ScheduleRequestSchema = z.strictObject({
  message: textLine("message", 500),
  baseVersion: wholeNumber("baseVersion", 0, 2_147_483_647),
  publishAt: instantInput("publishAt"),
  /** Publish although evidence is missing by then; audited. */
  acknowledgeGaps: flag("acknowledgeGaps").optional(),
  /** Publish although more are hit by then than `confirmAbove` says; audited. */
  acknowledgeRadius: flag("acknowledgeRadius").optional(),
  guardrail: wantedGuardrail,
});

export const ScheduleSchema = z.object({
  id: z.string(),
  actor: ActorSchema,
  message: z.string(),
  publishAt: InstantSchema,
  createdAt: InstantSchema,
  /** The version that must be live when the time comes. */
  baseVersion: z.int(),
  acknowledgeGaps: z.boolean(),
  acknowledgeRadius: z.boolean(),
  changes: z.array(
    z.object({ kind: ObjectKindSchema, id: z.string(), op: z.enum(["put", "delete"]) }),
  ),
  state: z.enum(SCHEDULE_STATES),
  doneAt: InstantSchema.nullable(),
  version: z.int().nullable(),
  /** Why it was refused; for one that waits, why it would be now. */
  outcome: z.string().nullable(),
});

export const ScheduleListSchema = listOf(ScheduleSchema);

/** GET /schedules, newest first. */
export const ScheduleListQuerySchema = z.strictObject({
  ...pageQuery,
  state: oneOf("state", SCHEDULE_STATES).optional(),
});

/** DELETE /schedules/{id}: `restored` when its changes are the caller's draft again. */
export const ScheduleCancelledSchema = ScheduleSchema.extend({ restored: z.boolean() });

export type Schedule = z.output<typeof ScheduleSchema>;
export type ScheduleList = z.output<typeof ScheduleListSchema>;
export type ScheduleCancelled = z.output<typeof ScheduleCancelledSchema>;
