import type { z } from "zod";
import { type Ramp, RampResumeRequestSchema } from "@/lib/core/api/ramps";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import { jsonColumn } from "@/lib/db/json";
import { actorName, type Ctx } from "./context";
import { getLive } from "./live-version";
import { lockOpenRamp } from "./open-ramp";
import { requirePermission } from "./permission";
import { isAsLeft, whoChanged } from "./ramp-changed";
import { rampRow } from "./ramp-row";
import { recordAudit } from "./record-audit";
import { resolveAlert } from "./resolve-alert";

/** Goes on, as the one who says so: later steps are taken with that person's rights. */
export async function resumeRamp(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof RampResumeRequestSchema>,
): Promise<Ramp> {
  requirePermission(ctx, "publish");
  const request = parseInput(RampResumeRequestSchema, input, "the resumption");
  const { reason, acknowledgeGaps, acknowledgeRadius } = request;
  return inTransaction(ctx.db, async (tx) => {
    const row = await lockOpenRamp(tx, id);
    if (row.state !== "paused")
      throw new AppError("conflict", `the ramp of rule ${id} goes on already`, {
        details: { reason: "unchanged" },
      });
    const live = await getLive(tx);
    if (!isAsLeft(live, row)) {
      const { why } = await whoChanged(tx, live, row);
      throw new AppError("conflict", `the ramp cannot go on: ${why}`, {
        details: { reason: "changed", current: live.version },
      });
    }
    const nowMs = ctx.clock.nowMs();
    const resumed = await tx.candidateRamp.update({
      where: { id: row.id },
      data: {
        state: "running",
        nextAt: new Date(nowMs + Number(row.leftMs ?? 0)),
        leftMs: null,
        outcome: null,
        actor: jsonColumn(actorName(ctx.actor)),
        ...(acknowledgeGaps === undefined ? {} : { acknowledgeGaps }),
        ...(acknowledgeRadius === undefined ? {} : { acknowledgeRadius }),
      },
    });
    await resolveAlert(tx, { kinds: ["ramp-stopped"], subject: id, atMs: nowMs });
    await recordAudit(tx, ctx.actor, {
      action: "ramp.resume",
      kind: "rule",
      objectId: id,
      sentence: `${ctx.actor.name} let the ramp of rule ${id} go on`,
      reason,
      details: {
        ...(acknowledgeGaps === undefined ? {} : { acknowledgeGaps }),
        ...(acknowledgeRadius === undefined ? {} : { acknowledgeRadius }),
      },
    });
    return rampRow(resumed);
  });
}
