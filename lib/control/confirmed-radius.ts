import type { BlastRadius } from "@/lib/core/api/publish";
import { AppError } from "@/lib/core/errors";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import { blastRadius } from "./blast-radius";
import type { CommitPlan } from "./commit-plan";
import type { Ctx } from "./context";
import type { LoadedVersion } from "./live-version";
import { stricterRules } from "./missing-evidence";

type Change = {
  live: LoadedVersion | null;
  content: Content;
  plan: Pick<CommitPlan, "evidence" | "radius">;
};

/** What was confirmed to hit more than the bounds. Throws `conflict` where it was not. */
export async function confirmedRadius(
  ctx: Ctx,
  tx: Tx,
  { live, content, plan }: Change,
): Promise<BlastRadius[]> {
  if (live === null || plan.evidence === "exempt") return [];
  const found: BlastRadius[] = [];
  for (const { rule } of stricterRules(live.content, content)) {
    // The bounds in force, not those of the change: it could raise them for itself.
    const bounds = live.content.settings.confirmAbove;
    const radius = await blastRadius(tx, { rule, bounds, nowMs: ctx.clock.nowMs() });
    if (radius.above.length > 0) found.push(radius);
  }
  if (found.length === 0 || plan.radius === "acknowledged") return found;
  const words = found.map(({ rule, above }) => `${rule} would refuse ${above.join(" and ")}`);
  throw new AppError("conflict", `${words.join("; ")}: confirm it with acknowledgeRadius`, {
    details: { reason: "radius", current: live.version, radius: found },
  });
}
