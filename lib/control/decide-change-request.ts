import { z } from "zod";
import {
  ApproveRequestSchema,
  type ChangeRequestRow,
  RejectRequestSchema,
} from "@/lib/core/api/change-requests";
import type { Published } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction, type Tx } from "@/lib/db/client";
import { lockDraft } from "@/lib/db/drafts";
import type { ChangeRequest } from "@/lib/db/generated/client";
import { actorColumn, jsonColumn } from "@/lib/db/json";
import { authorOf, contentHash } from "./approval-due";
import {
  changeRequestRow,
  getStoredRequest,
  outdatedWhy,
  refusedWhy,
  requireOpen,
} from "./change-request-row";
import { commitVersion } from "./commit-version";
import { actorName, type Ctx } from "./context";
import { applyEdits } from "./draft-edits";
import { wantedGuardrail } from "./enforcement-columns";
import { can, requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { frozenEdits } from "./schedule-row";

const AuditPlanSchema = z.object({
  action: z.string(),
  kind: z.string(),
  objectId: z.string(),
  did: z.string(),
  reason: z.string().optional(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});

/**
 * Makes what was asked for, if it still is exactly that: same base, same content, the draft unedited. Evidence is
 * judged again. Looked at again under the lock of all commits, so that it is made once.
 */
export async function approveChangeRequest(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof ApproveRequestSchema>,
): Promise<Published> {
  requirePermission(ctx, "publish");
  const seen = parseInput(ApproveRequestSchema, input, "the approval");
  const row = await getStoredRequest(ctx.db, id);
  const why = refusedWhy(row, ctx.actor);
  if (why !== null)
    throw new AppError("forbidden", `${ctx.actor.name} may not approve this: ${why}`);
  if (seen.contentHash !== row.contentHash)
    throw new AppError("conflict", "this is not what you looked at: look again, then approve", {
      details: { reason: "content", contentHash: row.contentHash },
    });
  const edits = frozenEdits(row);
  const author = actorColumn(row.actor);
  return commitVersion(
    ctx,
    async (tx) => {
      requireOpen(await getStoredRequest(tx, id));
      if (row.draftOwner !== null) await lockDraft(tx, row.draftOwner);
      return { versions: [row.baseVersion], epoch: row.baseEpoch, edits };
    },
    async (tx, live) => {
      const content = applyEdits(live.content, edits);
      const outdated =
        (await outdatedWhy(tx, row, live)) ??
        (contentHash(content) === row.contentHash ? null : "its content is not the one asked for");
      if (outdated !== null)
        throw new AppError("conflict", `change request ${id} cannot be approved: ${outdated}`, {
          details: { reason: "outdated", current: live.version },
        });
      const audit = AuditPlanSchema.parse(row.audit);
      return {
        kind: row.kind === "mode" ? "mode" : "publish",
        message: row.message,
        content,
        evidence: row.acknowledgeGaps ? "acknowledged" : "required",
        radius: row.acknowledgeRadius ? "acknowledged" : "required",
        guardrail: wantedGuardrail(row.guardrail),
        approved: true,
        audit: {
          ...audit,
          objectId: audit.kind === "version" ? String(live.version + 1) : audit.objectId,
          did: `approved what ${author.name} asked for: ${audit.did}`,
        },
        also: (tx) => finish(ctx, tx, row, live.version + 1),
      };
    },
  );
}

async function finish(ctx: Ctx, tx: Tx, row: ChangeRequest, version: number): Promise<void> {
  await tx.changeRequest.update({
    where: { id: row.id },
    data: { state: "approved", version, ...decision(ctx) },
  });
  if (row.draftOwner !== null) await tx.draft.deleteMany({ where: { owner: row.draftOwner } });
  await recordAudit(tx, ctx.actor, {
    action: "change-request.approve",
    kind: "change-request",
    objectId: row.id,
    sentence: `${ctx.actor.name} approved change request ${row.id} of ${actorColumn(row.actor).name}: ${row.message}`,
    version,
    details: { contentHash: row.contentHash },
  });
}

export async function rejectChangeRequest(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof RejectRequestSchema>,
): Promise<ChangeRequestRow> {
  requirePermission(ctx, "publish");
  const { reason } = parseInput(RejectRequestSchema, input, "the rejection");
  return decide(ctx, { id, state: "rejected", reason });
}

/** By its author; or by an admin, should that be gone. */
export async function withdrawChangeRequest(
  ctx: Ctx,
  { id }: { id: string },
): Promise<ChangeRequestRow> {
  requirePermission(ctx, "publish");
  const { authors, actor } = await getStoredRequest(ctx.db, id);
  if (!authors.includes(authorOf(ctx.actor)) && !can(ctx.actor, "people"))
    throw new AppError(
      "forbidden",
      `${ctx.actor.name} may not withdraw this: only ${actorColumn(actor).name} or an admin may; reject it instead`,
    );
  return decide(ctx, { id, state: "withdrawn", reason: "" });
}

type Decision = { id: string; state: "rejected" | "withdrawn"; reason: string };

async function decide(ctx: Ctx, { id, state, reason }: Decision): Promise<ChangeRequestRow> {
  return inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.changeRequest.updateMany({
      where: { id, state: "open" },
      data: { state, reason, ...decision(ctx) },
    });
    const row = await getStoredRequest(tx, id);
    if (count === 0) requireOpen(row);
    await recordAudit(tx, ctx.actor, {
      action: state === "rejected" ? "change-request.reject" : "change-request.withdraw",
      kind: "change-request",
      objectId: id,
      sentence: `${ctx.actor.name} ${state === "rejected" ? "rejected" : "withdrew"} change request ${id} of ${actorColumn(row.actor).name}: ${row.message}`,
      reason,
    });
    return changeRequestRow(tx, row, ctx.actor);
  });
}

function decision(ctx: Ctx) {
  return {
    decidedAt: new Date(ctx.clock.nowMs()),
    decidedBy: jsonColumn(actorName(ctx.actor)),
  };
}
