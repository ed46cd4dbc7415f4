import { z } from "zod";
import { flag, textLine, wholeNumber } from "../parse";
import { ModeSchema } from "../rule";
import { ObjectKindSchema } from "./change";
import { ActorSchema, CountSchema, InstantSchema } from "./common";
import { wantedGuardrail } from "./enforcement";
import { ApiProblemSchema } from "./problem";

const versionNumber = (name: string) => wholeNumber(name, 0, 2_147_483_647);
const reason = textLine("reason", 500);

/** POST /publish. */
export const PublishRequestSchema = z.strictObject({
  message: textLine("message", 500),
  /** The version that the caller looked at: must be the draft's base and the current one. */
  baseVersion: versionNumber("baseVersion"),
  /** Publish although evidence is missing; audited. */
  acknowledgeGaps: flag("acknowledgeGaps").optional(),
  /** Publish although more are hit than `confirmAbove` says; audited. */
  acknowledgeRadius: flag("acknowledgeRadius").optional(),
  guardrail: wantedGuardrail,
});

/** POST /rules/{id}/mode: a version of its own. */
export const ModeRequestSchema = z.strictObject({
  mode: ModeSchema,
  reason,
  /** 409 unless this is the current version. */
  expectVersion: versionNumber("expectVersion").optional(),
  acknowledgeGaps: flag("acknowledgeGaps").optional(),
  acknowledgeRadius: flag("acknowledgeRadius").optional(),
  guardrail: wantedGuardrail,
});

/** POST /rules/{id}/rollback. */
export const RuleRollbackRequestSchema = z.strictObject({
  revision: wholeNumber("revision", 1, 2_147_483_647),
  reason: reason.optional(),
  expectVersion: versionNumber("expectVersion").optional(),
});

/** POST /versions/{n}/rollback; an empty body is fine. */
export const VersionRollbackRequestSchema = z.strictObject({
  /** Overrides, too, as they were when that version was last in force. */
  restoreOverrides: flag("restoreOverrides").optional(),
  reason: reason.optional(),
  expectVersion: versionNumber("expectVersion").optional(),
});

/** 201: the version that was made. */
export const PublishedSchema = z.object({
  version: z.int(),
  epoch: z.int(),
  kind: z.enum(["publish", "mode", "rollback"]),
  createdAt: InstantSchema,
  restores: z.int().optional(),
  acknowledgedGaps: z.array(z.string()),
});

/** 202: somebody else must approve first. */
export const ChangeRequestedSchema = z.object({
  changeRequest: z.object({
    id: z.string(),
    /** Approvals that it waits for. */
    needs: z.int().min(1),
    contentHash: z.string(),
  }),
});

/** One object that both sides changed. */
export const ConflictSchema = z.object({
  kind: ObjectKindSchema,
  id: z.string(),
  base: z.unknown(),
  mine: z.unknown(),
  theirs: z.unknown(),
});

/** 409 of a stale base. `conflicts` may be empty: then a rebase is one click. */
export const StaleProblemSchema = ApiProblemSchema.extend({
  reason: z.literal("stale"),
  current: z.int(),
  baseVersion: z.int(),
  published: z.array(
    z.object({ version: z.int(), actor: ActorSchema, at: InstantSchema, message: z.string() }),
  ),
  conflicts: z.array(ConflictSchema),
});

/** What is missing before one rule may become enforced or stricter. */
export const MissingEvidenceSchema = z.object({
  rule: z.string(),
  /** Why evidence is asked for: `enforce is new`, `60 per 1m → 10 per 1h is stricter`. */
  because: z.string(),
  /** What the report lacks, a sentence each. */
  why: z.array(z.string()),
});

/** 409 of missing evidence; the same request with `acknowledgeGaps: true` goes through and is audited. */
export const EvidenceProblemSchema = ApiProblemSchema.extend({
  reason: z.literal("evidence"),
  current: z.int(),
  evidence: z.array(MissingEvidenceSchema).min(1),
});

/** Whom one rule would have hit in the last 24 h, as it would be enforced: counted in shadow. */
export const BlastRadiusSchema = z.object({
  rule: z.string(),
  /** That the rule matched. */
  requests: CountSchema,
  /** That passed and would be refused. */
  rejections: CountSchema,
  /** With at least one of these; a lower bound when capped. */
  clients: CountSchema,
  clientsCapped: z.boolean(),
  byPlan: z.array(z.object({ plan: z.string(), rejections: CountSchema, clients: CountSchema })),
  /** Most hit first. */
  topClients: z.array(
    z.object({
      client: z.string(),
      plan: z.string(),
      requests: CountSchema,
      rejections: CountSchema,
    }),
  ),
  /** What is above `confirmAbove`, a sentence each; empty when nothing is. */
  above: z.array(z.string()),
});

/** 409 of a radius above the bounds; the same request with `acknowledgeRadius: true` goes through and is audited. */
export const RadiusProblemSchema = ApiProblemSchema.extend({
  reason: z.literal("radius"),
  current: z.int(),
  radius: z.array(BlastRadiusSchema).min(1),
});

export type BlastRadius = z.output<typeof BlastRadiusSchema>;
export type PublishRequest = z.output<typeof PublishRequestSchema>;
export type ModeRequest = z.output<typeof ModeRequestSchema>;
export type RuleRollbackRequest = z.output<typeof RuleRollbackRequestSchema>;
export type VersionRollbackRequest = z.output<typeof VersionRollbackRequestSchema>;
export type Published = z.output<typeof PublishedSchema>;
export type ChangeRequested = z.output<typeof ChangeRequestedSchema>;
export type Conflict = z.output<typeof ConflictSchema>;
export type StaleProblem = z.output<typeof StaleProblemSchema>;
export type MissingEvidence = z.output<typeof MissingEvidenceSchema>;
export type EvidenceProblem = z.output<typeof EvidenceProblemSchema>;
