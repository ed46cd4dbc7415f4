import type { z } from "zod";
import { KeyPatchRequestSchema, type KeyRow } from "@/lib/core/api/keys";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { getKeyRow, keyRow } from "./key-row";
import { requirePermission } from "./permission";
import { recordAudit } from "./record-audit";
import { requirePlan } from "./require-plan";

/** A key's plan is its customer's: changing it moves the customer and all its keys. */
export async function updateKey(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof KeyPatchRequestSchema>,
): Promise<KeyRow> {
  requirePermission(ctx, "keys");
  const patch = parseInput(KeyPatchRequestSchema, input, "the key's change");
  return inTransaction(ctx.db, async (tx) => {
    await lockInstallation(tx);
    const before = await getKeyRow(tx, id);
    if (before.revokedAt !== null)
      throw new AppError("conflict", `key ${id} was revoked: it cannot be changed any more`);
    const { customerId: customer } = before;
    const sentences: string[] = [];
    if (patch.name !== undefined && patch.name !== before.name) {
      await tx.apiKey.update({ where: { id }, data: { name: patch.name } });
      sentences.push(`renamed key ${id} from "${before.name}" to "${patch.name}"`);
    }
    if (patch.plan !== undefined && patch.plan !== before.customer.plan) {
      await requirePlan(tx, patch.plan);
      await tx.customer.update({
        where: { id: customer },
        data: { plan: patch.plan, updatedAt: new Date(ctx.clock.nowMs()) },
      });
      await changeDirectory(tx, [{ type: "customer", id: customer, plan: patch.plan }]);
      const keys = await tx.apiKey.count({ where: { customerId: customer, revokedAt: null } });
      sentences.push(
        `moved customer ${customer} (${keys} ${keys === 1 ? "key" : "keys"}) from plan ${before.customer.plan} to ${patch.plan}`,
      );
    }
    const after = keyRow(await getKeyRow(tx, id), ctx.clock.nowMs());
    if (sentences.length === 0) return after;
    await recordAudit(tx, ctx.actor, {
      action: "key.update",
      kind: "key",
      objectId: id,
      sentence: `${ctx.actor.name} ${sentences.join(" and ")}`,
      before: { name: before.name, customer, plan: before.customer.plan },
      after: { name: after.name, customer, plan: after.plan },
    });
    return after;
  });
}
