import { z } from "zod";
import { ShareSchema } from "../candidate";
import { flag, textLine, wholeNumber } from "../parse";
import { RuleFieldsSchema } from "../rule";
import { wantedGuardrail } from "./enforcement";

const common = {
  reason: textLine("reason", 500),
  /** 409 unless this is the current version. */
  expectVersion: wholeNumber("expectVersion", 0, 2_147_483_647).optional(),
};
const acknowledgeGaps = flag("acknowledgeGaps").optional();
const acknowledgeRadius = flag("acknowledgeRadius").optional();

/** PUT /rules/{id}/candidate. */
export const CandidateRequestSchema = z.strictObject({
  ...common,
  /** The whole rule; its mode is enforce, whatever is said. Left out: the live revision. */
  rule: RuleFieldsSchema.partial({ id: true, mode: true }).optional(),
  /** Left out: the share that a candidate has already, else 0: in shadow only. */
  share: ShareSchema.optional(),
  acknowledgeGaps,
  acknowledgeRadius,
  guardrail: wantedGuardrail,
});

/** POST /rules/{id}/candidate/share. */
export const ShareRequestSchema = z.strictObject({
  ...common,
  share: ShareSchema,
  acknowledgeGaps,
  acknowledgeRadius,
  guardrail: wantedGuardrail,
});

/** POST /rules/{id}/candidate/promote. */
export const PromoteRequestSchema = z.strictObject({
  ...common,
  acknowledgeGaps,
  acknowledgeRadius,
  guardrail: wantedGuardrail,
});

/** DELETE /rules/{id}/candidate. */
export const DropCandidateQuerySchema = z.strictObject({
  expectVersion: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
  reason: textLine("reason", 500).optional(),
});
