import type { Tx } from "@/lib/db/client";
import type { CandidateRamp } from "@/lib/db/generated/client";
import { jsonColumn } from "@/lib/db/json";
import { actorName, type Ctx } from "./context";
import { resolveAlert } from "./resolve-alert";

type End = { state: "done" | "stopped" | "cancelled"; outcome: string };

/** False when it has ended already. */
export async function endRamp(
  ctx: Ctx,
  tx: Tx,
  { id, ruleId }: Pick<CandidateRamp, "id" | "ruleId">,
  { state, outcome }: End,
): Promise<boolean> {
  const now = new Date(ctx.clock.nowMs());
  const { count } = await tx.candidateRamp.updateMany({
    where: { id, state: { in: ["running", "paused"] } },
    data: { state, outcome, endedAt: now, endedBy: jsonColumn(actorName(ctx.actor)), leftMs: null },
  });
  if (count === 0) return false;
  await resolveAlert(tx, { kinds: ["ramp-held"], subject: ruleId, atMs: now.getTime() });
  return true;
}
