import { apiKeyPrefix } from "@/lib/core/api-key";
import { DEMO_KEYS, demoId, demoKey, demoPlan } from "@/lib/core/demo-keys";
import type { DirectoryEntry } from "@/lib/core/directory";
import { keyedHash } from "@/lib/core/secrets";
import type { Tx } from "@/lib/db/client";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { recordAudit } from "./record-audit";

/**
 * The demo's clients, by keys that its traffic derives from the same root secret. A new root secret makes new
 * keys beside the old ones; one that somebody revoked stays revoked. Under the installation's lock.
 */
export async function ensureDemoKeys(ctx: Ctx, tx: Tx): Promise<void> {
  const [hashKey] = ctx.keys.apiKey;
  const clients = Array.from({ length: DEMO_KEYS }, (_, i) => {
    const key = demoKey(ctx.config.secrets, i);
    const hash = keyedHash(key, hashKey);
    return { id: demoId(i), plan: demoPlan(i), hash, prefix: apiKeyPrefix(key) };
  });
  const known = await tx.keySecret.findMany({
    where: { hash: { in: clients.map(({ hash }) => hash) } },
    select: { hash: true },
  });
  const revoked = await tx.apiKey.findMany({
    where: { id: { in: clients.map(({ id }) => id) }, revokedAt: { not: null } },
    select: { id: true },
  });
  const settled = new Set([...known.map(({ hash }) => hash), ...revoked.map(({ id }) => id)]);
  const absent = clients.filter(({ id, hash }) => !settled.has(hash) && !settled.has(id));
  if (absent.length === 0) return;
  await tx.customer.createMany({
    data: absent.map(({ id, plan }) => ({ id, name: id, plan })),
    skipDuplicates: true,
  });
  await tx.apiKey.createMany({
    data: absent.map(({ id }) => ({ id, customerId: id, name: "Demo" })),
    skipDuplicates: true,
  });
  await tx.keySecret.createMany({
    data: absent.map(({ id, hash, prefix }) => ({
      hash,
      hashKeyId: hashKey.keyId,
      apiKeyId: id,
      prefix,
    })),
  });
  const customers = await tx.customer.findMany({
    where: { id: { in: absent.map(({ id }) => id) } },
    select: { id: true, plan: true },
  });
  await changeDirectory(tx, [
    ...customers.map(({ id, plan }): DirectoryEntry => ({ type: "customer", id, plan })),
    ...absent.map(
      ({ id, hash }): DirectoryEntry => ({
        type: "key",
        hash,
        keyId: hashKey.keyId,
        id,
        customer: id,
      }),
    ),
  ]);
  await recordAudit(tx, ctx.actor, {
    action: "key.create",
    kind: "key",
    objectId: "demo",
    sentence: `${ctx.actor.name} made ${absent.length} demo keys`,
  });
}
