import type { z } from "zod";
import { type KeyRotated, KeyRotateRequestSchema } from "@/lib/core/api/keys";
import { apiKeyPrefix } from "@/lib/core/api-key";
import type { DirectoryEntry } from "@/lib/core/directory";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { keyedHash } from "@/lib/core/secrets";
import { inTransaction, type Tx } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { getKeyRow, isWorking, type SecretRow } from "./key-row";
import { requirePermission } from "./permission";
import { randomApiKey } from "./random-id";
import { recordAudit } from "./record-audit";

const HOUR_MS = 3_600_000;
/** Each rotation with a grace leaves one more; a script that rotates in a loop ends here. */
const WORKING_MAX = 10;

/** A new text for the same client: its counters and overrides go on. The old text works for the hours that are given. */
export async function rotateKey(
  ctx: Ctx,
  { id, ...input }: { id: string } & z.input<typeof KeyRotateRequestSchema>,
): Promise<KeyRotated> {
  requirePermission(ctx, "keys");
  const { graceHours } = parseInput(KeyRotateRequestSchema, input, "the rotation");
  return inTransaction(ctx.db, (tx) => rotate(ctx, tx, { id, graceHours }));
}

async function rotate(
  ctx: Ctx,
  tx: Tx,
  { id, graceHours }: { id: string; graceHours: number },
): Promise<KeyRotated> {
  await lockInstallation(tx);
  const nowMs = ctx.clock.nowMs();
  const row = await getKeyRow(tx, id);
  if (row.revokedAt !== null)
    throw new AppError("conflict", `key ${id} was revoked: it cannot be rotated any more`);
  const working = row.secrets.filter((secret) => isWorking(secret, nowMs));
  if (graceHours > 0 && working.length >= WORKING_MAX)
    throw new AppError(
      "conflict",
      `key ${id} has ${working.length} texts that still work, and at most ${WORKING_MAX} may: rotate it with a grace of 0 hours`,
    );
  const previousUntil = await endSecrets(tx, working, { nowMs, graceHours });
  const { customerId: customer, name } = row;
  const [hashKey] = ctx.keys.apiKey;
  const key = randomApiKey();
  const hash = keyedHash(key, hashKey);
  const prefix = apiKeyPrefix(key);
  await tx.keySecret.create({
    data: { hash, hashKeyId: hashKey.keyId, apiKeyId: id, prefix, createdAt: new Date(nowMs) },
  });
  await changeDirectory(tx, [
    { type: "key", hash, keyId: hashKey.keyId, id, customer },
    ...working.map((secret) => endedEntry(secret, { id, customer, nowMs, graceHours })),
  ]);
  const old =
    graceHours === 0
      ? "the old one ended at once"
      : `the old one works until ${previousUntil ?? "its own end"}`;
  await recordAudit(tx, ctx.actor, {
    action: "key.rotate",
    kind: "key",
    objectId: id,
    sentence: `${ctx.actor.name} rotated key ${id} (${name}) of customer ${customer}: ${prefix}… is new, ${old}`,
    before: { prefixes: working.map((secret) => secret.prefix) },
    after: { prefix, previousUntil },
  });
  return { id, key, prefix, plan: row.customer.plan, customer, name, previousUntil };
}

type End = { nowMs: number; graceHours: number };

/** Until when an old text works; null when none does any more. One that ends sooner keeps its end. */
async function endSecrets(
  tx: Tx,
  working: readonly SecretRow[],
  { nowMs, graceHours }: End,
): Promise<string | null> {
  const hashes = working.map(({ hash }) => hash);
  if (graceHours === 0) {
    await tx.keySecret.updateMany({
      where: { hash: { in: hashes } },
      data: { revokedAt: new Date(nowMs) },
    });
    return null;
  }
  const expiresAt = new Date(nowMs + graceHours * HOUR_MS);
  await tx.keySecret.updateMany({
    where: { hash: { in: hashes }, OR: [{ expiresAt: null }, { expiresAt: { gt: expiresAt } }] },
    data: { expiresAt },
  });
  const ends = working.map((secret) => endMs(secret, { nowMs, graceHours }));
  return ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString();
}

function endMs({ expiresAt }: SecretRow, { nowMs, graceHours }: End): number {
  const graceMs = nowMs + graceHours * HOUR_MS;
  return expiresAt === null ? graceMs : Math.min(graceMs, expiresAt.getTime());
}

function endedEntry(
  secret: SecretRow,
  { id, customer, ...end }: { id: string; customer: string } & End,
): DirectoryEntry {
  const key = { type: "key", hash: secret.hash, keyId: secret.hashKeyId, id, customer } as const;
  return end.graceHours === 0
    ? { ...key, removed: true }
    : { ...key, expiresAtMs: endMs(secret, end) };
}
