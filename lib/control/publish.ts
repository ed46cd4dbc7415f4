import type { z } from "zod";
import { type Published, PublishRequestSchema } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { lockDraft } from "@/lib/db/drafts";
import { commitVersion } from "./commit-version";
import type { Ctx } from "./context";
import { applyEdits, type DraftEdit, editsOf } from "./draft-edits";
import { draftOwner } from "./draft-owner";
import { requirePermission } from "./permission";

/** Makes the caller's draft the live version, if nobody else published since. */
export async function publish(
  ctx: Ctx,
  input: z.input<typeof PublishRequestSchema>,
): Promise<Published> {
  requirePermission(ctx, "publish");
  const request = parseInput(PublishRequestSchema, input, "the publish");
  const owner = draftOwner(ctx.actor);
  let edits: DraftEdit[] = [];
  return commitVersion(
    ctx,
    async (tx) => {
      const draft = await lockDraft(tx, owner);
      edits = editsOf(draft);
      return {
        versions: [...(draft === null ? [] : [draft.baseVersion]), request.baseVersion],
        ...(draft === null ? {} : { epoch: draft.baseEpoch }),
        edits,
      };
    },
    (_tx, live) => {
      if (edits.length === 0)
        throw new AppError("conflict", "there is nothing to publish: your draft has no changes", {
          details: { reason: "empty", current: live.version },
        });
      const { message } = request;
      return {
        kind: "publish",
        message,
        draft: owner,
        content: applyEdits(live.content, edits),
        evidence: request.acknowledgeGaps === true ? "acknowledged" : "required",
        radius: request.acknowledgeRadius === true ? "acknowledged" : "required",
        guardrail: request.guardrail,
        audit: {
          action: "version.publish",
          kind: "version",
          objectId: String(live.version + 1),
          did: `published "${message}"`,
          reason: message,
        },
        also: (tx) => tx.draft.delete({ where: { owner } }),
      };
    },
  );
}
