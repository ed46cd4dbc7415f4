import { AppError } from "@/lib/core/errors";
import type { Tx } from "@/lib/db/client";
import type { CandidateRamp } from "@/lib/db/generated/client";

/** The ramp of a rule that goes on or is paused, locked: no step is taken meanwhile. */
export async function lockOpenRamp(tx: Tx, ruleId: string): Promise<CandidateRamp> {
  const [locked] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM candidate_ramp WHERE rule_id = ${ruleId} AND state IN ('running', 'paused') FOR UPDATE`;
  if (locked === undefined)
    throw new AppError("not_found", `rule ${ruleId} has no ramp that goes on`);
  return tx.candidateRamp.findUniqueOrThrow({ where: { id: locked.id } });
}
