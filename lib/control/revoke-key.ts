import type { KeyRow } from "@/lib/core/api/keys";
import { inTransaction } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { getKeyRow, keyRow } from "./key-row";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";

/** For good: gateways take the key as unknown within a second. Revoking twice is revoking once. */
export async function revokeKey(ctx: Ctx, { id }: { id: string }): Promise<KeyRow> {
  requirePermission(ctx, "keys");
  return inTransaction(ctx.db, async (tx) => {
    await lockInstallation(tx);
    const revokedAtMs = ctx.clock.nowMs();
    const before = await getKeyRow(tx, id);
    if (before.revokedAt !== null) return keyRow(before, revokedAtMs);
    const revokedAt = new Date(revokedAtMs);
    await tx.apiKey.update({ where: { id }, data: { revokedAt } });
    const live = before.secrets.filter((secret) => secret.revokedAt === null);
    await tx.keySecret.updateMany({
      where: { apiKeyId: id, revokedAt: null },
      data: { revokedAt },
    });
    if (live.length > 0) {
      await changeDirectory(
        tx,
        live.map(({ hash, hashKeyId }) => ({
          type: "key" as const,
          hash,
          keyId: hashKeyId,
          id,
          customer: before.customerId,
          removed: true,
        })),
      );
    }
    const row = keyRow(before, revokedAtMs);
    await recordAudit(tx, ctx.actor, {
      action: "key.revoke",
      kind: "key",
      objectId: id,
      sentence: `${ctx.actor.name} revoked key ${row.prefix}… (${row.name}) of customer ${row.customer}`,
      before: { name: row.name, customer: row.customer, plan: row.plan, prefix: row.prefix },
    });
    return { ...row, revokedAt: revokedAt.toISOString(), previousUntil: null };
  });
}
