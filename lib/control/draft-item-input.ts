import { z } from "zod";
import { type ObjectKind, ObjectKindSchema } from "@/lib/core/api/change";
import { LIST_NAMES } from "@/lib/core/list-entry";
import { oneOf, slug, wholeNumber } from "@/lib/core/parse";
import { isRemovable } from "@/lib/core/ruleset-objects";

/** Which object of a draft; `id` of routes and settings is the kind itself. */
export type DraftItemInput = {
  kind: ObjectKind;
  id: string;
  edit?: number | undefined;
  baseVersion?: number | undefined;
  /** Entity tags, of which one must be the object's; `*`: it must be there. */
  ifMatch?: string[] | undefined;
  /** It must not be there. */
  isNew?: boolean | undefined;
};

const seenNumber = (name: string) => wholeNumber(name, 0, 2_147_483_647).optional();

export const DraftItemSchema = z
  .object({
    kind: ObjectKindSchema,
    id: z.string(),
    edit: seenNumber("edit"),
    baseVersion: seenNumber("baseVersion"),
    ifMatch: z.array(z.string()).optional(),
    isNew: z.boolean().optional(),
  })
  .superRefine(({ kind, id }, context) => {
    const schema = isRemovable(kind)
      ? slug(`${kind} id`)
      : kind === "lists"
        ? oneOf("list", LIST_NAMES)
        : z.literal(kind, { error: `the id of ${kind} is "${kind}", got "${id}"` });
    const result = schema.safeParse(id);
    for (const issue of result.error?.issues ?? [])
      context.addIssue({ code: "custom", path: ["id"], message: issue.message });
  });
