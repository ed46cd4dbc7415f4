import { z } from "zod";
import { CountSchema } from "./common";

/** What a version is made of; `lists` by name (allow, deny, flood), the others that have one object by their kind. */
export const OBJECT_KINDS = ["rule", "candidate", "plan", "routes", "lists", "settings"] as const;
export const ObjectKindSchema = z.enum(OBJECT_KINDS);
export type ObjectKind = z.output<typeof ObjectKindSchema>;

/** One changed field. `before`, `after` are JSON values, null when absent. */
export const FieldDiffSchema = z.object({
  /** As a person would write it: `limit.perPlan.free`. Empty for a whole object added or removed. */
  path: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  /** `60 per 1m → 10 per 1h: 360 times stricter` */
  sentence: z.string(),
  /** Must be impossible to miss: 10 times stricter or looser, a mode that becomes enforce, counters that restart. */
  loud: z.boolean(),
  direction: z.enum(["stricter", "looser", "mixed", "same", "other"]),
});

export type FieldDiff = z.output<typeof FieldDiffSchema>;

/** One object added, changed or removed between two versions, or between a version and a draft. */
export const ObjectChangeSchema = z.object({
  kind: ObjectKindSchema,
  id: z.string(),
  name: z.string(),
  op: z.enum(["added", "changed", "removed"]),
  sentence: z.string(),
  loud: z.boolean(),
  /** A new counting definition: this rule's counters start at full. */
  countersRestart: z.boolean(),
  before: z.unknown(),
  after: z.unknown(),
  diff: z.array(FieldDiffSchema),
});

export type ObjectChange = z.output<typeof ObjectChangeSchema>;

/** What a version changed, short enough for a row. */
export const ChangeSummarySchema = z.object({
  added: CountSchema,
  changed: CountSchema,
  removed: CountSchema,
  loud: z.boolean(),
  /** `1 rule changes, 1 plan is added` */
  sentence: z.string(),
  /** The first few changes, one sentence each. */
  sentences: z.array(z.string()),
});

export type ChangeSummary = z.output<typeof ChangeSummarySchema>;

/** A finding at save. Errors stop a publish, warnings and infos are shown. */
export const LintFindingSchema = z.object({
  level: z.enum(["error", "warning", "info"]),
  /** Stable, for programs: `burst-below-cost`. */
  code: z.string(),
  kind: ObjectKindSchema,
  id: z.string(),
  /** Field within the object. */
  path: z.string(),
  message: z.string(),
});

export type LintFinding = z.output<typeof LintFindingSchema>;
