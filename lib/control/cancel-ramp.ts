import type { z } from "zod";
import { type Ramp, RampCancelQuerySchema } from "@/lib/core/api/ramps";
import { shareWords } from "@/lib/core/candidate";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { endRamp } from "./end-ramp";
import { lockOpenRamp } from "./open-ramp";
import { requirePermission } from "./permission";
import { rampRow, rampShare } from "./ramp-row";
import { recordAudit } from "./record-audit";

/** No further step is taken; the share stays as it is. */
export async function cancelRamp(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof RampCancelQuerySchema>,
): Promise<Ramp> {
  requirePermission(ctx, "relax");
  const { reason } = parseInput(RampCancelQuerySchema, input, "the end of the ramp");
  return inTransaction(ctx.db, async (tx) => {
    const row = await lockOpenRamp(tx, id);
    const words = shareWords(rampShare(row));
    await endRamp(ctx, tx, row, {
      state: "cancelled",
      outcome: `${ctx.actor.name} ended it at ${words}${reason === undefined ? "" : `: ${reason}`}`,
    });
    await recordAudit(tx, ctx.actor, {
      action: "ramp.cancel",
      kind: "rule",
      objectId: id,
      sentence: `${ctx.actor.name} ended the ramp of rule ${id}, which stays at ${words}`,
      reason,
    });
    return rampRow(await tx.candidateRamp.findUniqueOrThrow({ where: { id: row.id } }));
  });
}
