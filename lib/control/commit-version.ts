import type { Published } from "@/lib/core/api/publish";
import { diffContents, summariseChanges } from "@/lib/core/diff";
import { AppError } from "@/lib/core/errors";
import { requiredFeatures } from "@/lib/core/features";
import { inOrder } from "@/lib/core/ruleset-objects";
import { bodyHash } from "@/lib/core/snapshot";
import type { VersionId } from "@/lib/core/version";
import { inTransaction, type Tx } from "@/lib/db/client";
import { type Installation, lockInstallation } from "@/lib/db/installation";
import { jsonColumn } from "@/lib/db/json";
import { databaseNow } from "@/lib/db/now";
import { enqueue } from "@/lib/db/outbox";
import { insertVersionItems } from "@/lib/db/versions";

import { ApprovalDue, requestApproval } from "./approval-due";
import type { CommitPlan } from "./commit-plan";
import { confirmedRadius } from "./confirmed-radius";
import { actorName, type Ctx } from "./context";
import { evidenceGaps } from "./evidence-gaps";
import { type LoadedVersion, loadVersion } from "./live-version";
import { recordAudit } from "./record-audit";
import { recordEnforcements } from "./record-enforcements";
import { requirePublishable } from "./require-publishable";
import { type Base, requireBase } from "./stale-base";
import { writeRevisions } from "./write-revisions";

/** The one door to a new version. Compares the base and makes the plan under the lock that orders all commits. */
export async function commitVersion(
  ctx: Ctx,
  base: Base | ((tx: Tx) => Promise<Base>),
  planOf: (tx: Tx, live: LoadedVersion) => CommitPlan | Promise<CommitPlan>,
): Promise<Published> {
  const made = await inTransaction(ctx.db, async (tx) => {
    const installation = await lockInstallation(tx);
    if (installation === null || installation.version === 0)
      throw new AppError("unavailable", "Headgate is not set up yet: its seed has not run");
    const live = await loadVersion(tx, installation.version);
    await requireBase(tx, live, typeof base === "function" ? await base(tx) : base);
    const plan = await planOf(tx, live);
    const requested = await requestApproval(ctx, tx, { installation, live, plan });
    return requested ?? writeVersion(ctx, tx, { installation, live, plan });
  });
  if ("changeRequest" in made) throw new ApprovalDue(made);
  ctx.log.info(
    { version: made.version, epoch: made.epoch, kind: made.kind, actor: ctx.actor.id },
    "version committed",
  );
  return made;
}

type Write = {
  installation: Installation;
  /** Null at the first start. */
  live: LoadedVersion | null;
  plan: CommitPlan;
  /** Above what another database has reached; else the next number of this one. */
  id?: VersionId;
};

/** Under the installation's lock. */
export async function writeVersion(
  ctx: Ctx,
  tx: Tx,
  { installation, live, plan, id = nextOf(installation) }: Write,
): Promise<Published> {
  const content = inOrder(plan.content);
  const changes = diffContents(live?.content ?? null, content);
  if (changes.length === 0 && plan.allowSame !== true)
    throw new AppError(
      "conflict",
      "nothing would change: the live version has this content already",
      {
        details: { reason: "unchanged", current: installation.version },
      },
    );
  const summary = summariseChanges(changes);
  await requirePublishable(tx, { live, content, kind: plan.kind });
  const gaps = await evidenceGaps(ctx, tx, { live, content, evidence: plan.evidence });
  const radius = await confirmedRadius(ctx, tx, { live, content, plan });
  const { body, items } = await writeRevisions(ctx, tx, { live, content, version: id.version });
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const hash = bodyHash(bytes);
  const createdAt = await createdAfter(tx, live);
  await tx.version.create({
    data: {
      number: id.version,
      epoch: id.epoch,
      body: bytes,
      hash,
      requires: requiredFeatures(body),
      parent: live?.version ?? null,
      kind: plan.kind,
      restores: plan.restores ?? null,
      message: plan.message,
      changes: jsonColumn(summary),
      actor: actorName(ctx.actor),
      createdAt,
    },
  });
  await insertVersionItems(
    tx,
    items.map((item) => ({ ...item, versionNumber: id.version })),
  );
  await tx.installation.update({
    where: { id: 1 },
    data: { epoch: id.epoch, version: id.version },
  });
  const gapSentences = gaps.map(
    ({ rule, because, why }) => `${rule}: ${because}: ${why.join("; ")}`,
  );
  await recordAudit(tx, ctx.actor, {
    action: plan.audit.action,
    kind: plan.audit.kind,
    objectId: plan.audit.objectId,
    sentence: `${ctx.actor.name} ${plan.audit.did} (version ${id.version})${gaps.length > 0 ? ", although evidence was missing" : ""}`,
    reason: plan.audit.reason,
    version: id.version,
    before: plan.audit.before,
    after: plan.audit.after,
    details: {
      ...plan.audit.details,
      ...(plan.restores === undefined ? {} : { restores: plan.restores }),
      ...(plan.audit.kind === "version" ? { changes: summary.sentences } : {}),
      ...(gaps.length === 0 ? {} : { acknowledgedGaps: jsonColumn(gaps) }),
      ...(radius.length === 0 ? {} : { acknowledgedRadius: jsonColumn(radius) }),
    },
  });
  if (live !== null && plan.isUndo !== true)
    await recordEnforcements(ctx, tx, {
      live,
      content,
      version: id.version,
      since: createdAt,
      items,
      plan,
    });
  await plan.also?.(tx);
  await enqueue(tx, { kind: "version", ...id, hash });
  return {
    version: id.version,
    epoch: id.epoch,
    kind: plan.kind === "initial" ? "publish" : plan.kind,
    createdAt: createdAt.toISOString(),
    ...(plan.restores === undefined ? {} : { restores: plan.restores }),
    acknowledgedGaps: gapSentences,
  };
}

function nextOf({ epoch, version }: Installation): VersionId {
  return { epoch, version: version + 1 };
}

/** Later than the version before it, whatever a clock does: intervals of versions never overlap. */
async function createdAfter(tx: Tx, live: LoadedVersion | null): Promise<Date> {
  const now = await databaseNow(tx);
  return new Date(Math.max(now.getTime(), (live?.createdAt.getTime() ?? 0) + 1));
}
