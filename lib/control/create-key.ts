import type { z } from "zod";
import {
  type KeyCreated,
  type KeyCreateRequest,
  KeyCreateRequestSchema,
} from "@/lib/core/api/keys";
import { apiKeyPrefix } from "@/lib/core/api-key";
import type { DirectoryEntry } from "@/lib/core/directory";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { keyedHash } from "@/lib/core/secrets";
import { inTransaction, type Tx } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { requirePermission } from "./permission";
import { randomApiKey, randomId } from "./random-id";
import { recordAudit } from "./record-audit";
import { requirePlan } from "./require-plan";

/** The key itself is in this answer only. */
export async function createKey(
  ctx: Ctx,
  input: z.input<typeof KeyCreateRequestSchema>,
): Promise<KeyCreated> {
  requirePermission(ctx, "keys");
  const request = parseInput(KeyCreateRequestSchema, input, "the key");
  return inTransaction(ctx.db, (tx) => addKey(ctx, tx, request));
}

async function addKey(ctx: Ctx, tx: Tx, request: KeyCreateRequest): Promise<KeyCreated> {
  const id = randomId();
  const key = randomApiKey();
  const { plan, customer = id, name = customer } = request;
  await lockInstallation(tx);
  const plans = await requirePlan(tx, plan);
  const known = await tx.customer.findUnique({
    where: { id: customer },
    include: { keys: { where: { revokedAt: null }, select: { id: true }, take: 1 } },
  });
  const isOther = known !== null && known.plan !== plan;
  // Nothing else could move a customer who has no key left off a plan that is gone.
  const isStranded = isOther && known.keys.length === 0 && !plans.includes(known.plan);
  if (isOther && !isStranded) {
    throw new AppError(
      "conflict",
      `customer ${customer} is on plan ${known.plan}, got ${plan}: leave the customer's plan, or move the customer first`,
      { details: { reason: "customer-plan", customer, plan: known.plan } },
    );
  }
  if (known === null) await tx.customer.create({ data: { id: customer, name: customer, plan } });
  if (isStranded) {
    const updatedAt = new Date(ctx.clock.nowMs());
    await tx.customer.update({ where: { id: customer }, data: { plan, updatedAt } });
  }
  const [hashKey] = ctx.keys.apiKey;
  const hash = keyedHash(key, hashKey);
  const prefix = apiKeyPrefix(key);
  await tx.apiKey.create({ data: { id, customerId: customer, name } });
  await tx.keySecret.create({ data: { hash, hashKeyId: hashKey.keyId, apiKeyId: id, prefix } });
  const entries: DirectoryEntry[] = [{ type: "key", hash, keyId: hashKey.keyId, id, customer }];
  if (known === null || isStranded) entries.unshift({ type: "customer", id: customer, plan });
  await changeDirectory(tx, entries);
  await recordAudit(tx, ctx.actor, {
    action: "key.create",
    kind: "key",
    objectId: id,
    sentence: `${ctx.actor.name} created key ${prefix}… (${name}) for customer ${customer} on plan ${plan}${isStranded ? `, moved from plan ${known.plan}, which is gone` : ""}`,
    after: { name, customer, plan, prefix },
  });
  return { id, key, prefix, plan, customer, name };
}
