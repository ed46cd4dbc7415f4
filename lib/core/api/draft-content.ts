import { z } from "zod";
import { flag } from "../parse";
import { RulesetSectionsSchema } from "../ruleset-yaml";
import { ChangeSummarySchema, LintFindingSchema, ObjectChangeSchema } from "./change";

/** GET /draft/content: the whole ruleset as the caller's draft has it. */
export const DraftContentSchema = z.object({
  baseVersion: z.int(),
  /** Changes with every save in the draft. */
  tag: z.string(),
  content: RulesetSectionsSchema,
});

/** PUT /draft/content. */
export const DraftContentWriteSchema = z.strictObject({
  /** What is not there stays as it is. */
  content: RulesetSectionsSchema,
  /** Rules and plans that a given section does not name are removed. */
  prune: flag("prune").optional(),
  /** 409 unless the draft has this tag. */
  tag: z.string().max(200).optional(),
});

export const DraftContentResultSchema = z.object({
  baseVersion: z.int(),
  tag: z.string(),
  summary: ChangeSummarySchema,
  /** What the draft changes now. */
  objects: z.array(ObjectChangeSchema.omit({ before: true, after: true, diff: true })),
  /** Rules and plans that a given section does not name, and that stay. */
  unnamed: z.array(z.object({ kind: z.enum(["rule", "candidate", "plan"]), id: z.string() })),
  lint: z.array(LintFindingSchema),
});

export type DraftContent = z.output<typeof DraftContentSchema>;
export type DraftContentResult = z.output<typeof DraftContentResultSchema>;
