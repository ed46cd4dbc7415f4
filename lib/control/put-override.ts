import type { z } from "zod";
import {
  type OverrideRow,
  type OverrideWrite,
  OverrideWriteSchema,
} from "@/lib/core/api/overrides";
import { AppError } from "@/lib/core/errors";
import { overrideMisfit, subjectOf } from "@/lib/core/override-subject";
import { parseInput, slug } from "@/lib/core/parse";
import type { Content } from "@/lib/core/ruleset-objects";
import { inTransaction, type Tx } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { jsonColumn } from "@/lib/db/json";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { getLive } from "./live-version";
import { overrideRow } from "./override-row";
import { can, requirePermission } from "./permission";
import { requireRaise } from "./raise-only";
import { recordAudit } from "./record-audit";

const PutOverrideSchema = OverrideWriteSchema.extend({ id: slug("override id") });

/** Makes an override, or changes one that has not ended; gateways use it within a second. */
export async function putOverride(
  ctx: Ctx,
  input: z.input<typeof PutOverrideSchema>,
): Promise<OverrideRow> {
  const isFree = can(ctx.actor, "keys");
  if (!isFree) requirePermission(ctx, "raise");
  const { id, ...wanted } = parseInput(PutOverrideSchema, input, "the override");
  return inTransaction(ctx.db, async (tx) => {
    await lockInstallation(tx);
    const nowMs = ctx.clock.nowMs();
    const { content } = await getLive(tx);
    await requireUsable(tx, wanted, { content, nowMs });
    await requirePlace(tx, { id, ...wanted }, nowMs);
    const before = await tx.override.findUnique({ where: { id } });
    if (!isFree) await requireRaise(tx, wanted, { content, known: before, nowMs });
    const { client, rule, limit, owner, reason } = wanted;
    const expiresAt = new Date(wanted.expiresAt);
    const data = { client, ruleId: rule, limit: jsonColumn(limit), owner, reason, expiresAt };
    const stored = await tx.override.upsert({
      where: { id },
      create: { id, ...data, createdAt: new Date(nowMs) },
      update: data,
    });
    await changeDirectory(tx, [
      { type: "override", id, client, rule, limit, expiresAtMs: expiresAt.getTime() },
    ]);
    const after = await overrideRow(tx, stored, { content, nowMs });
    await recordAudit(tx, ctx.actor, {
      action: before === null ? "override.create" : "override.update",
      kind: "override",
      objectId: id,
      sentence: `${ctx.actor.name} ${before === null ? "gave" : "changed"} override ${id}: ${client} gets ${after.words} of rule ${rule} until ${after.expiresAt}`,
      reason,
      before: before && auditState(await overrideRow(tx, before, { content, nowMs })),
      after: auditState(after),
    });
    return after;
  });
}

function auditState({ client, rule, limit, owner, reason, expiresAt }: OverrideRow) {
  return { client, rule, limit, owner, reason, expiresAt };
}

/** Throws `invalid` for what gateways would not use. */
async function requireUsable(
  tx: Tx,
  { client, rule: ruleId, limit, expiresAt }: OverrideWrite,
  { content, nowMs }: { content: Content; nowMs: number },
): Promise<void> {
  const rule = content.rules.find(({ id }) => id === ruleId);
  if (rule === undefined) throw refused("rule", `there is no rule ${ruleId} in the live version`);
  const misfit = overrideMisfit(rule, { client, limit }, content.settings);
  if (misfit !== null) throw refused(misfit.path, misfit.message);
  if (Date.parse(expiresAt) <= nowMs)
    throw refused("expiresAt", `expiresAt must be in the future, got ${expiresAt}`);
  if (!(await isKnown(tx, client)))
    throw refused("client", `there is no ${client.replace(":", " ")}`);
}

async function isKnown(tx: Tx, client: OverrideWrite["client"]): Promise<boolean> {
  const id = client.slice(client.indexOf(":") + 1);
  switch (subjectOf(client)) {
    case "key":
      return (await tx.apiKey.count({ where: { id, revokedAt: null } })) > 0;
    case "customer":
      return (await tx.customer.count({ where: { id } })) > 0;
    case "ip":
      return true;
  }
}

/** Throws `conflict` where the override ended, or another one of the client and rule has not. */
async function requirePlace(
  tx: Tx,
  { id, client, rule }: { id: string } & OverrideWrite,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs);
  const known = await tx.override.findUnique({ where: { id } });
  if (known !== null && (known.endedAt !== null || known.expiresAt <= now)) {
    throw new AppError(
      "conflict",
      `override ${id} has ended and is not revived: make one with another id`,
    );
  }
  const other = await tx.override.findFirst({
    where: { client, ruleId: rule, id: { not: id }, endedAt: null, expiresAt: { gt: now } },
  });
  if (other === null) return;
  throw new AppError(
    "conflict",
    `${client} has override ${other.id} of rule ${rule} already: change or end that one`,
  );
}

function refused(path: string, message: string): AppError {
  return new AppError("invalid", `the override is not valid: ${path}: ${message}`, {
    errors: [{ path, message }],
  });
}
