import { z } from "zod";
import { FieldDiffSchema, LintFindingSchema, ObjectChangeSchema, ObjectKindSchema } from "./change";
import { InstantSchema } from "./common";
import { BlastRadiusSchema } from "./publish";

/** One edited object of a draft. `before` is the base version's, `after` the draft's; null when absent. */
export const DraftChangeSchema = z.object({
  kind: ObjectKindSchema,
  id: z.string(),
  op: z.enum(["put", "delete"]),
  /** Rises with each save; send it back as `edit` to be told of another tab's save. */
  edit: z.int(),
  updatedAt: InstantSchema,
  before: z.unknown(),
  after: z.unknown(),
  /** added | changed | removed, with sentence and loudness. */
  change: ObjectChangeSchema.pick({ op: true, sentence: true, loud: true, countersRestart: true }),
  diff: z.array(FieldDiffSchema),
});

/** GET /draft. Without a draft: the current version as base and no changes. */
export const DraftSchema = z.object({
  baseVersion: z.int(),
  currentVersion: z.int(),
  /** Somebody published since: rebase before publishing. */
  stale: z.boolean(),
  /** Null without a draft. */
  createdAt: InstantSchema.nullable(),
  updatedAt: InstantSchema.nullable(),
  changes: z.array(DraftChangeSchema),
  lint: z.array(LintFindingSchema),
  /** What publishing needs before it is allowed; empty when nothing. */
  evidence: z.array(
    z.object({
      rule: z.string(),
      name: z.string(),
      /** Why evidence is asked for. */
      because: z.string(),
      enough: z.boolean(),
      why: z.array(z.string()),
      /** Whom it would hit. */
      radius: BlastRadiusSchema,
    }),
  ),
});

/** PUT and DELETE /draft/…: what the caller saw, so that a save over somebody else's is a 409 and not done blindly. */
export const DraftWriteQuerySchema = z.strictObject({
  /** The draft's last save of the object; 0: it must not be in the draft. */
  edit: z.coerce.number().pipe(z.int().min(0)).optional(),
  /** The version whose object was edited: no newer one that the draft stands on may have it otherwise; 0: none may have it. */
  baseVersion: z.coerce.number().pipe(z.int().min(0)).optional(),
});

/** Answer of PUT and DELETE /draft/…. */
export const DraftWriteResultSchema = z.object({
  baseVersion: z.int(),
  /** Null when the write made the object equal to the base: it left the draft. */
  change: DraftChangeSchema.nullable(),
  lint: z.array(LintFindingSchema),
});

/** GET /draft/rules/{id} and the like: one object as the draft has it, else as its base has it. */
export const DraftObjectSchema = z.object({
  kind: ObjectKindSchema,
  id: z.string(),
  baseVersion: z.int(),
  /** The draft's last save of it; 0: it is not in the draft. */
  edit: z.int(),
  body: z.unknown(),
});

export type DraftObject = z.output<typeof DraftObjectSchema>;
export type DraftChange = z.output<typeof DraftChangeSchema>;
export type Draft = z.output<typeof DraftSchema>;
export type DraftWriteQuery = z.output<typeof DraftWriteQuerySchema>;
export type DraftWriteResult = z.output<typeof DraftWriteResultSchema>;
