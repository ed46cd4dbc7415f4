import type { z } from "zod";
import { type Ramp, RampReasonSchema } from "@/lib/core/api/ramps";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { lockOpenRamp } from "./open-ramp";
import { requirePermission } from "./permission";
import { rampRow } from "./ramp-row";
import { recordAudit } from "./record-audit";
import { resolveAlert } from "./resolve-alert";

/** The share stays as it is, and so does the time to the next step. */
export async function pauseRamp(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof RampReasonSchema>,
): Promise<Ramp> {
  requirePermission(ctx, "relax");
  const { reason } = parseInput(RampReasonSchema, input, "the pause");
  return inTransaction(ctx.db, async (tx) => {
    const row = await lockOpenRamp(tx, id);
    if (row.state === "paused")
      throw new AppError("conflict", `the ramp of rule ${id} is paused already`, {
        details: { reason: "unchanged" },
      });
    const nowMs = ctx.clock.nowMs();
    const paused = await tx.candidateRamp.update({
      where: { id: row.id },
      data: {
        state: "paused",
        leftMs: Math.max(0, row.nextAt.getTime() - nowMs),
        held: null,
        heldSince: null,
        outcome: `paused by ${ctx.actor.name}: ${reason}`,
      },
    });
    await resolveAlert(tx, { kinds: ["ramp-held"], subject: id, atMs: nowMs });
    await recordAudit(tx, ctx.actor, {
      action: "ramp.pause",
      kind: "rule",
      objectId: id,
      sentence: `${ctx.actor.name} paused the ramp of rule ${id}`,
      reason,
    });
    return rampRow(paused);
  });
}
