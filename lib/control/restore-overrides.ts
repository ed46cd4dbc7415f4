import type { OverrideRestore } from "@/lib/core/api/versions";
import type { DirectoryEntry } from "@/lib/core/directory";
import type { Tx } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { loadVersion } from "./live-version";
import {
  lastInForce,
  type OverrideState,
  type RestoreStep,
  restoreSteps,
  restoreWords,
} from "./overrides-then";
import { requirePermission } from "./permission";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";

/** What a rollback with its overrides would do to them. */
export async function getOverrideRestore(
  ctx: Ctx,
  { number }: { number: number },
): Promise<OverrideRestore> {
  requirePermission(ctx, "read");
  const { content } = await loadVersion(ctx.db, number);
  const nowMs = ctx.clock.nowMs();
  const at = await lastInForce(ctx.db, number, nowMs);
  const steps = await restoreSteps(ctx.db, { at, content, nowMs });
  return { version: number, asOf: at.toISOString(), changes: steps.map(restoreWords) };
}

/** In the transaction of a rollback, under the lock that orders directory changes, too. */
export async function restoreOverrides(ctx: Ctx, tx: Tx, number: number): Promise<void> {
  const { content } = await loadVersion(tx, number);
  const nowMs = ctx.clock.nowMs();
  const at = await lastInForce(tx, number, nowMs);
  const steps = await restoreSteps(tx, { at, content, nowMs });
  if (steps.length === 0) return;
  const entries: DirectoryEntry[] = [];
  for (const step of steps) entries.push(await takeStep(tx, step, new Date(nowMs)));
  await changeDirectory(tx, entries);
  await recordAudit(tx, ctx.actor, {
    action: "override.restore",
    kind: "override",
    objectId: `version-${number}`,
    sentence: `${ctx.actor.name} restored the overrides of version ${number}, as of ${at.toISOString()}: ${steps.length} ${steps.length === 1 ? "change" : "changes"}`,
    details: { changes: steps },
  });
  // Each override's own history goes on, also for a later restore.
  for (const { id, before, after } of steps)
    if (id !== null)
      await recordAudit(tx, ctx.actor, {
        action: after === null ? "override.end" : "override.update",
        kind: "override",
        objectId: id,
        sentence: `${ctx.actor.name} ${after === null ? "ended" : "changed"} override ${id} by restoring those of version ${number}`,
        before,
        after,
      });
}

async function takeStep(tx: Tx, step: RestoreStep, now: Date): Promise<DirectoryEntry> {
  const id = step.id ?? randomId();
  if (step.after === null) {
    await tx.override.update({ where: { id }, data: { endedAt: now } });
    if (step.before === null) throw new Error("a step has something before or after");
    return { ...entryOf(id, step.before), removed: true };
  }
  const { client, rule, limit, owner, reason, expiresAt } = step.after;
  const data = { limit: jsonColumn(limit), owner, reason, expiresAt: new Date(expiresAt) };
  if (step.id === null)
    await tx.override.create({ data: { id, client, ruleId: rule, createdAt: now, ...data } });
  else await tx.override.update({ where: { id }, data });
  return entryOf(id, step.after);
}

function entryOf(id: string, { client, rule, limit, expiresAt }: OverrideState) {
  return { type: "override" as const, id, client, rule, limit, expiresAtMs: Date.parse(expiresAt) };
}
