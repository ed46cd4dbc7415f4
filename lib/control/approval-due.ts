import { createHash } from "node:crypto";
import type { ChangeRequested } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import { canonicalJson, revisionHash } from "@/lib/core/revision-hash";
import { type Content, inOrder, isRemovable, objectsOf } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import type { Installation } from "@/lib/db/installation";
import { jsonColumn } from "@/lib/db/json";
import type { CommitPlan } from "./commit-plan";
import { confirmedRadius } from "./confirmed-radius";
import { type Actor, actorName, type Ctx } from "./context";
import type { DraftEdit } from "./draft-edits";
import { keptGuardrail } from "./enforcement-columns";
import { evidenceGaps } from "./evidence-gaps";
import type { LoadedVersion } from "./live-version";
import { stricterRules } from "./missing-evidence";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { requirePublishable } from "./require-publishable";
import { frozen } from "./schedule-row";

/** The change was not made, a request for it was: 202 over HTTP, a sentence everywhere else. */
export class ApprovalDue extends AppError {
  readonly requested: ChangeRequested;

  constructor(requested: ChangeRequested) {
    const { id } = requested.changeRequest;
    super(
      "conflict",
      `this becomes enforced or stricter, so a second person must approve it: change request ${id} waits for that`,
      { details: { reason: "approval", ...requested } },
    );
    this.name = "ApprovalDue";
    this.requested = requested;
  }
}

type Change = { installation: Installation; live: LoadedVersion; plan: CommitPlan };

/**
 * Null when the change may be made now. Else it is checked as a publish would be, frozen, and left for somebody else
 * to approve. Asking for the same twice is asking once; asking for something else in its place ends the first.
 */
export async function requestApproval(
  ctx: Ctx,
  tx: Tx,
  { installation, live, plan }: Change,
): Promise<ChangeRequested | null> {
  const { actor } = ctx;
  const isFree = plan.evidence === "exempt" || plan.approved === true || actor.type === "system";
  if (!installation.approvalRequired || isFree) return null;
  const because = stricterRules(live.content, plan.content);
  if (because.length === 0) return null;
  const content = inOrder(plan.content);
  await requirePublishable(tx, { live, content, kind: plan.kind });
  await evidenceGaps(ctx, tx, { live, content, evidence: plan.evidence });
  await confirmedRadius(ctx, tx, { live, content, plan });
  const hash = contentHash(content);
  const author = authorOf(actor);
  const open = await tx.changeRequest.findMany({
    where: {
      state: "open",
      authors: { has: author },
      audit: { path: ["objectId"], equals: plan.audit.objectId },
    },
  });
  const now = new Date(ctx.clock.nowMs());
  const same = open.find((row) => row.contentHash === hash && row.baseVersion === live.version);
  if (same !== undefined) return { changeRequest: { id: same.id, needs: 1, contentHash: hash } };
  await tx.changeRequest.updateMany({
    where: { id: { in: open.map(({ id }) => id) } },
    data: {
      state: "withdrawn",
      reason: "replaced by a later request",
      decidedAt: now,
      decidedBy: jsonColumn(actorName(actor)),
    },
  });
  const id = randomId();
  await tx.changeRequest.create({
    data: {
      id,
      kind: plan.kind,
      actor: jsonColumn(actorName(actor)),
      authors: await authorsOf(tx, actor),
      baseEpoch: live.epoch,
      baseVersion: live.version,
      edits: jsonColumn(editsBetween(live.content, content).map(frozen)),
      contentHash: hash,
      draftOwner: plan.draft ?? null,
      message: plan.message,
      because: jsonColumn(because.map(({ rule, because: why }) => ({ rule: rule.id, why }))),
      acknowledgeGaps: plan.evidence === "acknowledged",
      acknowledgeRadius: plan.radius === "acknowledged",
      ...keptGuardrail(plan.guardrail),
      audit: jsonColumn(plan.audit),
      createdAt: now,
    },
  });
  await recordAudit(tx, actor, {
    action: "change-request.create",
    kind: "change-request",
    objectId: id,
    sentence: `${actor.name} asked for approval: ${plan.message}`,
    reason: plan.audit.reason,
    details: {
      contentHash: hash,
      baseVersion: live.version,
      because: because.map(({ because: why, rule }) => `${rule.id}: ${why}`),
    },
  });
  return { changeRequest: { id, needs: 1, contentHash: hash } };
}

/** Of everything that would be live: an edit anywhere makes another one. */
export function contentHash(content: Content): string {
  return createHash("sha256")
    .update(canonicalJson(inOrder(content)))
    .digest("hex");
}

export function authorOf({ type, id }: Actor): string {
  return `${type}:${id}`;
}

/** A token acts for who made it: otherwise one person could ask by a token and approve by hand. */
async function authorsOf(tx: Tx, actor: Actor): Promise<string[]> {
  if (actor.type !== "token") return [authorOf(actor)];
  const made = await tx.audit.findFirst({
    where: { kind: "token", objectId: actor.id, action: "token.create" },
  });
  return [authorOf(actor), ...(made === null ? [] : [made.actorId])];
}

function editsBetween(before: Content, after: Content): DraftEdit[] {
  const nameOf = ({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`;
  const old = new Map(objectsOf(before).map((object) => [nameOf(object), object]));
  const kept = new Set(objectsOf(after).map(nameOf));
  const puts = objectsOf(after).flatMap((object): DraftEdit[] => {
    const was = old.get(nameOf(object));
    const isSame = was !== undefined && revisionHash(was.body) === revisionHash(object.body);
    return isSame ? [] : [{ op: "put", kind: object.kind, id: object.id, object }];
  });
  const deletes = [...old.values()].flatMap(({ kind, id }): DraftEdit[] =>
    !kept.has(nameOf({ kind, id })) && isRemovable(kind) ? [{ op: "delete", kind, id }] : [],
  );
  return [...puts, ...deletes];
}
