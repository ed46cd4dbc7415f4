import type { EnforcePreview } from "@/lib/core/api/enforce-preview";
import { AppError } from "@/lib/core/errors";
import { inMode } from "@/lib/core/rule";
import { inSnapshot } from "@/lib/db/client";
import type { Ctx } from "./context";
import { enforceFacts } from "./enforce-facts";
import { liveRule } from "./live-rule";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

/** What enforcing a rule now would ask for and whom it would hit, before anybody presses anything. */
export async function getEnforcePreview(ctx: Ctx, { id }: { id: string }): Promise<EnforcePreview> {
  requirePermission(ctx, "read");
  const nowMs = ctx.clock.nowMs();
  return inSnapshot(ctx.db, async (reader) => {
    const live = await getLive(reader);
    const now = liveRule(live, id);
    if (now.mode === "enforce")
      throw new AppError("conflict", `rule ${id} is in mode enforce already`, {
        details: { reason: "unchanged", current: live.version },
      });
    const rule = inMode(now, "enforce");
    return {
      rule: id,
      version: live.version,
      mode: now.mode,
      revision: live.body.rules.find((entry) => entry.id === id)?.live?.revision ?? 0,
      ...(await enforceFacts(reader, { live, rule, nowMs })),
    };
  });
}
