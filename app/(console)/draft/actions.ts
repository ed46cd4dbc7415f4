"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { mergedObjects } from "@/app/_server/draft-conflicts";
import { draftObjectKey } from "@/components/draft/draft-actions-data";
import {
  type Ctx,
  cancelSchedule,
  diffDraftContent,
  discardDraft,
  getDraft,
  publish,
  putDraftContent,
  putDraftItem,
  rebaseDraft,
  revertDraftItem,
  schedulePublish,
} from "@/lib/control";
import { ObjectKindSchema } from "@/lib/core/api/change";
import { PublishRequestSchema } from "@/lib/core/api/publish";
import { ScheduleRequestSchema } from "@/lib/core/api/schedules";
import { AppError } from "@/lib/core/errors";
import { readRuleset, YAML_MAX } from "@/lib/core/ruleset-yaml";

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

const DraftObjectsSchema = z
  .array(z.strictObject({ kind: ObjectKindSchema, id: z.string().min(1).max(100) }))
  .max(1000);

const RebaseSchema = z.strictObject({
  /** The live version that the conflicts were shown against. */
  seenVersion: z.int().min(1),
  takeTheirs: DraftObjectsSchema,
  takeBoth: DraftObjectsSchema,
});

export const rebaseAction = consoleAction(
  RebaseSchema,
  async (ctx, { seenVersion, takeTheirs, takeBoth }) => {
    const draft = await getDraft(ctx);
    if (draft.currentVersion !== seenVersion)
      throw new AppError(
        "conflict",
        `v${draft.currentVersion} was published while you looked at v${seenVersion}: look again, then rebase`,
      );
    const merged = await mergedObjects(ctx, draft, takeBoth);
    for (const { kind, id } of takeTheirs) await revertDraftItem(ctx, { kind, id });
    const { conflicts } = await rebaseDraft(ctx);
    for (const object of merged) await putDraftItem(ctx, object);
    return { conflicts: conflicts.map(({ kind, id }) => ({ kind, id })) };
  },
);

export const saveTextAction = consoleAction(
  z.strictObject({ text: z.string().max(YAML_MAX), tag: z.string().max(200) }),
  (ctx, { text, tag }) =>
    // The text is the whole ruleset: what is not in it any more is to go.
    putDraftContent(ctx, { content: readRuleset(text), prune: true, tag }),
);

export const diffTextAction = consoleAction(
  z.strictObject({ text: z.string().max(YAML_MAX) }),
  (ctx, { text }) => diffDraftContent(ctx, { content: readRuleset(text), prune: true }),
);
