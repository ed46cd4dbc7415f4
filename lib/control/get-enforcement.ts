import type { Enforcement } from "@/lib/core/api/enforcement";
import { AppError } from "@/lib/core/errors";
import { inSnapshot } from "@/lib/db/client";
import type { Ctx } from "./context";
import { enforcementRow } from "./enforcement-row";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { NEWEST } from "./record-enforcements";

/** The last change that made a rule enforced or stricter, and how it fares; null when there was none. */
export async function findEnforcement(
  ctx: Ctx,
  { id }: { id: string },
): Promise<Enforcement | null> {
  requirePermission(ctx, "read");
  return inSnapshot(ctx.db, async (reader) => {
    const row = await reader.enforcement.findFirst({ where: { ruleId: id }, orderBy: NEWEST });
    if (row === null) return null;
    const live = await getLive(reader);
    return enforcementRow(reader, row, { live, nowMs: ctx.clock.nowMs() });
  });
}

/** As `findEnforcement`; throws `not_found` when there was none. */
export async function getEnforcement(ctx: Ctx, { id }: { id: string }): Promise<Enforcement> {
  const enforcement = await findEnforcement(ctx, { id });
  if (enforcement !== null) return enforcement;
  throw new AppError("not_found", `rule ${id} was not made enforced or stricter since it is known`);
}
