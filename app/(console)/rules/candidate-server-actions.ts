"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import {
  cancelRamp,
  dropCandidate,
  pauseRamp,
  promoteCandidate,
  resumeRamp,
  setCandidateShare,
  startRamp,
  tryCandidate,
} from "@/lib/control";
import {
  DropCandidateQuerySchema,
  PromoteRequestSchema,
  ShareRequestSchema,
} from "@/lib/core/api/candidate";
import {
  RampCancelQuerySchema,
  RampReasonSchema,
  RampRequestSchema,
  RampResumeRequestSchema,
} from "@/lib/core/api/ramps";
import { ShareSchema } from "@/lib/core/candidate";

const id = z.string().min(1).max(100);

export const tryCandidateAction = consoleAction(
  z.strictObject({
    id,
    rule: z.record(z.string(), z.unknown()),
    share: ShareSchema,
    reason: z.string(),
    expectVersion: z.int().min(0).optional(),
  }),
  // The rule is the verb's to judge, as it is with the API.
  (ctx, { rule, ...input }) =>
    tryCandidate(ctx, { ...input, rule } as Parameters<typeof tryCandidate>[1]),
);

export const setShareAction = consoleAction(ShareRequestSchema.extend({ id }), (ctx, input) =>
  setCandidateShare(ctx, input),
);

export const promoteCandidateAction = consoleAction(
  PromoteRequestSchema.extend({ id }),
  (ctx, input) => promoteCandidate(ctx, input),
);

export const dropCandidateAction = consoleAction(
  DropCandidateQuerySchema.extend({ id }),
  (ctx, input) => dropCandidate(ctx, input),
);

export const startRampAction = consoleAction(RampRequestSchema.safeExtend({ id }), (ctx, input) =>
  startRamp(ctx, input),
);

export const pauseRampAction = consoleAction(RampReasonSchema.extend({ id }), (ctx, input) =>
  pauseRamp(ctx, input),
);

export const resumeRampAction = consoleAction(
  RampResumeRequestSchema.extend({ id }),
  (ctx, input) => resumeRamp(ctx, input),
);

export const cancelRampAction = consoleAction(RampCancelQuerySchema.extend({ id }), (ctx, input) =>
  cancelRamp(ctx, input),
);
