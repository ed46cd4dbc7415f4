"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { draftObjectKey } from "@/components/draft/draft-actions-data";
import { discardDraft, getDraft, publish, rebaseDraft, revertDraftItem } from "@/lib/control";
import { ObjectKindSchema } from "@/lib/core/api/change";
import { PublishRequestSchema } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";

const PublishSchema = PublishRequestSchema.extend({
  /** The edit number of each object as the reader reviewed it. */
  reviewed: z.record(z.string(), z.int()),
});

export const publishAction = consoleAction(PublishSchema, async (ctx, { reviewed, ...input }) => {
  const { changes } = await getDraft(ctx);
  const isAsReviewed =
    changes.length === Object.keys(reviewed).length &&
    changes.every((change) => reviewed[draftObjectKey(change)] === change.edit);
  if (changes.length > 0 && !isAsReviewed)
    throw new AppError(
      "conflict",
      "your draft was changed elsewhere while you looked at it: look again, then publish",
    );
  return publish(ctx, input);
});

export const discardAction = consoleAction(z.strictObject({}), async (ctx) => {
  await discardDraft(ctx);
  return null;
});

const RebaseSchema = z.strictObject({
  /** The live version that the conflicts were shown against. */
  seenVersion: z.int().min(1),
  takeTheirs: z
    .array(z.strictObject({ kind: ObjectKindSchema, id: z.string().min(1).max(100) }))
    .max(1000),
});

export const rebaseAction = consoleAction(
  RebaseSchema,
  async (ctx, { seenVersion, takeTheirs }) => {
    const { currentVersion } = await getDraft(ctx);
    if (currentVersion !== seenVersion)
      throw new AppError(
        "conflict",
        `v${currentVersion} was published while you looked at v${seenVersion}: look again, then rebase`,
      );
    for (const { kind, id } of takeTheirs) await revertDraftItem(ctx, { kind, id });
    const { conflicts } = await rebaseDraft(ctx);
    return { conflicts: conflicts.map(({ kind, id }) => ({ kind, id })) };
  },
);
