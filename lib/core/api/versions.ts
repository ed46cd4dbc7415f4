import { z } from "zod";
import { BodySchema } from "../ruleset";
import { ChangeSummarySchema, ObjectChangeSchema } from "./change";
import { ActorSchema, CountSchema, InstantSchema, listOf } from "./common";

export const VERSION_KINDS = ["initial", "publish", "mode", "rollback"] as const;
export const VersionKindSchema = z.enum(VERSION_KINDS);

/** How far a version is in the fleet. `converged`: every live gateway applied it and none is silent. */
export const ConvergenceSummarySchema = z.object({
  live: CountSchema,
  applied: CountSchema,
  silent: CountSchema,
  converged: z.boolean(),
  /** From commit to the last live gateway's swap; null until all have applied. */
  tookMs: z.int().min(0).nullable(),
  /** Of all gateways that applied it, from commit to swap; null while none has. */
  p50Ms: z.int().min(0).nullable(),
  p99Ms: z.int().min(0).nullable(),
});

/** A row of GET /versions, newest first. */
export const VersionRowSchema = z.object({
  version: z.int(),
  epoch: z.int(),
  kind: VersionKindSchema,
  message: z.string(),
  actor: ActorSchema,
  createdAt: InstantSchema,
  /** The version whose content this one brought back. */
  restores: z.int().optional(),
  live: z.boolean(),
  changes: ChangeSummarySchema,
  convergence: ConvergenceSummarySchema,
});

export const VersionListSchema = listOf(VersionRowSchema).extend({ current: z.int() });

/** GET /versions/{n}: `changes` against the version before it. */
export const VersionDetailSchema = VersionRowSchema.extend({
  parent: z.int().nullable(),
  hash: z.string(),
  requires: z.array(z.string()),
  body: BodySchema,
  objects: z.array(ObjectChangeSchema),
});

/** GET /versions/{a}/diff/{b}: what b has that a has not. */
export const VersionDiffSchema = z.object({
  from: z.int(),
  to: z.int(),
  summary: ChangeSummarySchema,
  objects: z.array(ObjectChangeSchema),
  /** Whose limits rise or fall: API keys that are not revoked, by plan, and the rules that do it. */
  effect: z.object({
    /** Keys with a limit that rises, or falls; a key may be in both. */
    raised: CountSchema,
    lowered: CountSchema,
    plans: z.array(
      z.object({
        /** `anonymous`: who comes without a key; nobody counts those. */
        plan: z.string(),
        keys: CountSchema,
        raised: z.array(z.string()),
        lowered: z.array(z.string()),
      }),
    ),
  }),
});

/** GET /versions/{n}/overrides: what restoring them with a rollback would do. */
export const OverrideRestoreSchema = z.object({
  version: z.int(),
  /** When the version was last in force: overrides are restored to how they were then. */
  asOf: InstantSchema,
  changes: z.array(
    z.object({
      op: z.enum(["give", "change", "end"]),
      client: z.string(),
      rule: z.string(),
      sentence: z.string(),
    }),
  ),
});

export type OverrideRestore = z.output<typeof OverrideRestoreSchema>;

/** GET /versions/{n}/convergence. */
export const ConvergenceSchema = ConvergenceSummarySchema.extend({
  version: z.int(),
  createdAt: InstantSchema,
  gateways: z.array(
    z.object({
      id: z.string(),
      /** What it runs now; null before its first version. */
      version: z.int().nullable(),
      /** When it applied *this* version; null if it has not. */
      appliedAt: InstantSchema.nullable(),
      tookMs: z.int().min(0).nullable(),
      /** `superseded`: it runs a newer one. */
      state: z.enum(["applied", "superseded", "pending", "refused", "silent"]),
      reason: z.string().nullable(),
      lastSeenAt: InstantSchema,
    }),
  ),
});

export type VersionKind = z.output<typeof VersionKindSchema>;
export type ConvergenceSummary = z.output<typeof ConvergenceSummarySchema>;
export type VersionRow = z.output<typeof VersionRowSchema>;
export type VersionList = z.output<typeof VersionListSchema>;
export type VersionDetail = z.output<typeof VersionDetailSchema>;
export type VersionDiff = z.output<typeof VersionDiffSchema>;
export type Convergence = z.output<typeof ConvergenceSchema>;
