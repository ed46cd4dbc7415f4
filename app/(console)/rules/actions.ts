"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { requireUnusedRuleId } from "@/app/_server/unused-rule-id";
import {
  deleteDraftItem,
  putDraftItem,
  revertDraftItem,
  rollbackRule,
  rollbackVersion,
  setRuleMode,
} from "@/lib/control";
import { ObjectKindSchema } from "@/lib/core/api/change";
import {
  ModeRequestSchema,
  RuleRollbackRequestSchema,
  VersionRollbackRequestSchema,
} from "@/lib/core/api/publish";

const id = z.string().min(1).max(100);
const edit = z.int().min(0);
const baseVersion = z.int().min(0);

export const saveRuleAction = consoleAction(
  z.strictObject({ id, body: z.unknown(), edit, baseVersion, isNew: z.boolean() }),
  async (ctx, { isNew, ...input }) => {
    if (isNew) await requireUnusedRuleId(ctx, input.id);
    return putDraftItem(ctx, { kind: "rule", ...input });
  },
);

export const deleteRuleAction = consoleAction(z.strictObject({ id }), (ctx, { id }) =>
  deleteDraftItem(ctx, { kind: "rule", id }),
);

export const revertItemAction = consoleAction(
  z.strictObject({ kind: ObjectKindSchema, id, edit: edit.optional() }),
  (ctx, input) => revertDraftItem(ctx, input),
);

export const setModeAction = consoleAction(ModeRequestSchema.extend({ id }), (ctx, input) =>
  setRuleMode(ctx, input),
);

export const rollbackRuleAction = consoleAction(
  RuleRollbackRequestSchema.extend({ id }),
  (ctx, input) => rollbackRule(ctx, input),
);

export const rollbackVersionAction = consoleAction(
  VersionRollbackRequestSchema.extend({ number: z.int().min(1) }),
  (ctx, input) => rollbackVersion(ctx, input),
);
