import type { OverrideRow } from "@/lib/core/api/overrides";
import { ClientIdSchema } from "@/lib/core/client-id";
import { inTransaction } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { getStoredOverride } from "./get-override";
import { getLive } from "./live-version";
import { overrideRow } from "./override-row";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** For good: the client has its plan's limit again within a second. Ending twice is ending once. */
export async function endOverride(ctx: Ctx, { id }: { id: string }): Promise<OverrideRow> {
  requirePermission(ctx, "keys");
  return inTransaction(ctx.db, async (tx) => {
    await lockInstallation(tx);
    const nowMs = ctx.clock.nowMs();
    const { content } = await getLive(tx);
    const before = await getStoredOverride(tx, id);
    if (before.endedAt !== null) return overrideRow(tx, before, { content, nowMs });
    const endedAt = new Date(nowMs);
    const ended = await tx.override.update({ where: { id }, data: { endedAt } });
    const row = await overrideRow(tx, ended, { content, nowMs });
    const { rule, limit, owner, reason, expiresAt } = row;
    const client = ClientIdSchema.parse(row.client);
    const expiresAtMs = Date.parse(expiresAt);
    await changeDirectory(tx, [
      { type: "override", id, client, rule, limit, expiresAtMs, removed: true },
    ]);
    await recordAudit(tx, ctx.actor, {
      action: "override.end",
      kind: "override",
      objectId: id,
      sentence: `${ctx.actor.name} ended override ${id}: ${client} gets the limit of its plan of rule ${rule} again`,
      before: { client, rule, limit, owner, reason, expiresAt },
    });
    return row;
  });
}
