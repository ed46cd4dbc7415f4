"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { draftObjectKey } from "@/components/draft/draft-actions-data";
import {
  type Ctx,
  cancelSchedule,
  discardDraft,
  getDraft,
  publish,
  rebaseDraft,
  revertDraftItem,
  schedulePublish,
} from "@/lib/control";
import { ObjectKindSchema } from "@/lib/core/api/change";
import { PublishRequestSchema } from "@/lib/core/api/publish";
import { ScheduleRequestSchema } from "@/lib/core/api/schedules";
import { AppError } from "@/lib/core/errors";

const PublishSchema = PublishRequestSchema.extend({
  /** The edit number of each object as the reader reviewed it. */
  reviewed: z.record(z.string(), z.int()),
});

export const publishAction = consoleAction(PublishSchema, async (ctx, { reviewed, ...input }) => {
  await requireReviewed(ctx, reviewed);
  return publish(ctx, input);
});

export const scheduleAction = consoleAction(
  ScheduleRequestSchema.extend({ reviewed: PublishSchema.shape.reviewed }),
  async (ctx, { reviewed, ...input }) => {
    await requireReviewed(ctx, reviewed);
    return schedulePublish(ctx, input);
  },
);

export const cancelScheduleAction = consoleAction(
  z.strictObject({ id: z.string().min(1).max(64) }),
  (ctx, input) => cancelSchedule(ctx, input),
);

async function requireReviewed(ctx: Ctx, reviewed: Record<string, number>): Promise<void> {
  const { changes } = await getDraft(ctx);
  const isAsReviewed =
    changes.length === Object.keys(reviewed).length &&
    changes.every((change) => reviewed[draftObjectKey(change)] === change.edit);
  if (changes.length > 0 && !isAsReviewed)
    throw new AppError(
      "conflict",
      "your draft was changed elsewhere while you looked at it: look again, then publish",
    );
}

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
