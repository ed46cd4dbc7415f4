import type { z } from "zod";
import {
  type Enforcement,
  EnforcementBoundsRequestSchema,
  EnforcementEndRequestSchema,
} from "@/lib/core/api/enforcement";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { tellChange } from "@/lib/db/changes";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { Enforcement as Row } from "@/lib/db/generated/client";
import { jsonColumn } from "@/lib/db/json";
import { databaseNow } from "@/lib/db/now";
import { actorName, type Ctx } from "./context";
import { OPEN_STATES } from "./enforcement-columns";
import { getEnforcement } from "./get-enforcement";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { NEWEST } from "./record-enforcements";
import { resolveAlert } from "./resolve-alert";
import { isStillEnforced } from "./still-enforced";
import { watchAnew } from "./watch-anew";

/** Other bounds from now on, also for what was held, has passed or was not watched at all. */
export async function setGuardrail(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof EnforcementBoundsRequestSchema>,
): Promise<Enforcement> {
  requirePermission(ctx, "publish");
  const { guardrail, reason } = parseInput(EnforcementBoundsRequestSchema, input, "the guardrail");
  await inTransaction(ctx.db, async (tx) => {
    const row = await lockLast(tx, id);
    const { body } = await getLive(tx);
    if (!isStillEnforced(body, row))
      throw new AppError(
        "conflict",
        `nothing of rule ${id} is enforced to be watched: ${row.outcome ?? "it was changed since"}`,
      );
    await tx.enforcement.update({
      where: { id: row.id },
      data: { ...(await watchAnew(tx, row)), guardrail: jsonColumn(guardrail) },
    });
    await resolveHeld(tx, row);
    await recordAudit(tx, ctx.actor, {
      action: "guardrail.set",
      kind: "rule",
      objectId: id,
      sentence: `${ctx.actor.name} set the guardrail of rule ${id}, enforced with version ${row.version}`,
      reason,
      before: row.guardrail,
      after: guardrail,
      details: { was: row.state },
    });
    await tellChange(tx);
  });
  return getEnforcement(ctx, { id });
}

/** The change stays as it is, and nothing takes it back by itself any more. */
export async function endEnforcementWatch(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof EnforcementEndRequestSchema>,
): Promise<Enforcement> {
  requirePermission(ctx, "publish");
  const { reason } = parseInput(EnforcementEndRequestSchema, input, "the end of the watch");
  await inTransaction(ctx.db, async (tx) => {
    const row = await lockLast(tx, id);
    if (!OPEN_STATES.includes(row.state))
      throw new AppError("conflict", `rule ${id} is not watched now: ${row.outcome}`, {
        details: { reason: "unchanged" },
      });
    await tx.enforcement.update({
      where: { id: row.id },
      data: {
        state: "ended",
        stateAt: await databaseNow(tx),
        heldFor: null,
        endedBy: jsonColumn(actorName(ctx.actor)),
        outcome: `${ctx.actor.name} ended the watch: ${reason}`,
      },
    });
    await resolveHeld(tx, row);
    await recordAudit(tx, ctx.actor, {
      action: "guardrail.end",
      kind: "rule",
      objectId: id,
      sentence: `${ctx.actor.name} ended the watch of rule ${id}, enforced with version ${row.version}`,
      reason,
      details: { guardrail: row.guardrail, judgement: row.judgement, was: row.state },
    });
    await tellChange(tx);
  });
  return getEnforcement(ctx, { id });
}

async function lockLast(tx: Tx, ruleId: string): Promise<Row> {
  const last = await tx.enforcement.findFirst({ where: { ruleId }, orderBy: NEWEST });
  if (last === null)
    throw new AppError(
      "not_found",
      `rule ${ruleId} was not made enforced or stricter since it is known`,
    );
  await tx.$queryRaw`SELECT id FROM enforcement WHERE id = ${last.id} FOR UPDATE`;
  return tx.enforcement.findUniqueOrThrow({ where: { id: last.id } });
}

async function resolveHeld(tx: Tx, { ruleId }: Row): Promise<void> {
  const atMs = (await databaseNow(tx)).getTime();
  await resolveAlert(tx, { kinds: ["guardrail-held"], subject: ruleId, atMs });
}
