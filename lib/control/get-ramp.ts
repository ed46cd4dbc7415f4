import type { Ramp } from "@/lib/core/api/ramps";
import { AppError } from "@/lib/core/errors";
import type { Reader } from "@/lib/db/client";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { rampRow } from "./ramp-row";

/** The ramp of a rule that is open, else its last one. */
export async function getRamp(ctx: Ctx, { id }: { id: string }): Promise<Ramp> {
  requirePermission(ctx, "read");
  const ramp = await findRamp(ctx.db, id);
  if (ramp === null) throw new AppError("not_found", `rule ${id} never had a ramp`);
  return ramp;
}

async function findRamp(reader: Reader, ruleId: string): Promise<Ramp | null> {
  const row = await reader.candidateRamp.findFirst({
    where: { ruleId },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return row === null ? null : rampRow(row);
}

/** As `getRamp`, of the candidate as it is now: null when that never had one. */
export async function findCandidateRamp(
  reader: Reader,
  { ruleId, revision }: { ruleId: string; revision: number },
): Promise<Ramp | null> {
  const row = await reader.candidateRamp.findFirst({
    where: { ruleId, candidateRevision: revision },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return row === null ? null : rampRow(row);
}
