import { createHmac } from "node:crypto";
import type { z } from "zod";
import {
  type KeyImportAnswer,
  type KeyImportLine,
  KeyImportRequestSchema,
  type KeyImportResult,
  KeyImportRowSchema,
} from "@/lib/core/api/key-import";
import { foreignKeyPrefix } from "@/lib/core/api-key";
import type { DirectoryEntry } from "@/lib/core/directory";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import type { SigningKey } from "@/lib/core/snapshot";
import { inTransaction, type Tx } from "@/lib/db/client";
import { lockInstallation } from "@/lib/db/installation";
import { changeDirectory } from "./change-directory";
import type { Ctx } from "./context";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { type ImportPlan, type KnownKeys, type PlannedLine, planImport } from "./plan-import";
import { randomId } from "./random-id";
import { recordAudit } from "./record-audit";

/**
 * Takes a piece of a list of keys: each line is made, changed, found as it is, or refused with a reason. A key's text
 * is hashed here and goes no further. Importing the same again changes nothing.
 */
export async function importKeys(
  ctx: Ctx,
  input: z.input<typeof KeyImportRequestSchema>,
): Promise<KeyImportAnswer> {
  requirePermission(ctx, "keys");
  const { rows, dryRun, movePlans } = parseInput(KeyImportRequestSchema, input, "the list");
  const refused: KeyImportResult[] = [];
  const lines: PlannedLine[] = [];
  for (const row of rows) {
    const read = readLine(ctx.keys.apiKey, row);
    if (typeof read === "string")
      refused.push({ line: row.line, outcome: "refused", message: read });
    else lines.push(read);
  }
  const planned = await inTransaction(ctx.db, async (tx) => {
    await lockInstallation(tx);
    const known = await readKnown(tx, lines, ctx.clock.nowMs());
    const plan = planImport(known, lines, { movePlans, newId: randomId });
    if (!dryRun) {
      await write(ctx, tx, plan);
      return plan.results;
    }
    // The id of a key that is not made says nothing.
    return plan.results.map(({ id, ...result }) =>
      id === undefined || result.outcome === "made" ? result : { ...result, id },
    );
  });
  const results = [...planned, ...refused].sort((a, b) => a.line - b.line);
  const count = (outcome: KeyImportResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  return {
    results,
    made: count("made"),
    changed: count("changed"),
    same: count("same"),
    refused: count("refused"),
  };
}

/** A text says what is wrong with it, without a word of the key. */
function readLine(
  keys: readonly [SigningKey, ...SigningKey[]],
  { line, ...cells }: KeyImportLine,
): PlannedLine | string {
  try {
    const row = parseInput(KeyImportRowSchema, cells, "the line");
    return { line, row, hash: hashOf(keys, row) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.errors.map(({ message }) => message).join("; ") || error.message;
  }
}

function hashOf(
  [current, ...older]: readonly [SigningKey, ...SigningKey[]],
  { key, hash, hashKeyId = current.keyId }: z.output<typeof KeyImportRowSchema>,
): PlannedLine["hash"] {
  if (key !== undefined) {
    const made = createHmac("sha256", current.secret).update(key).digest("hex");
    return { hash: made, keyId: current.keyId, prefix: foreignKeyPrefix(key) };
  }
  if (hash === undefined) return null;
  const ids = [current, ...older].map(({ keyId }) => keyId);
  if (ids.includes(hashKeyId)) return { hash, keyId: hashKeyId, prefix: "" };
  throw new AppError(
    "invalid",
    `hash_key_id must be of a root secret in use (${ids.join(", ")}), got ${hashKeyId}`,
  );
}

async function readKnown(tx: Tx, lines: readonly PlannedLine[], nowMs: number): Promise<KnownKeys> {
  const { content } = await getLive(tx);
  const hashes = lines.flatMap(({ hash }) => (hash === null ? [] : [hash.hash]));
  const secrets = await tx.keySecret.findMany({
    where: { hash: { in: hashes } },
    select: { hash: true, apiKeyId: true, revokedAt: true, expiresAt: true },
  });
  const ids = [
    ...secrets.map(({ apiKeyId }) => apiKeyId),
    ...lines.flatMap(({ row }) => (row.id === undefined ? [] : [row.id])),
  ];
  const keys = await tx.apiKey.findMany({ where: { id: { in: ids } } });
  const customers = await tx.customer.findMany({
    where: {
      id: {
        in: [
          ...keys.map(({ customerId }) => customerId),
          // A key without a customer gets its own, under its id.
          ...lines.flatMap(({ row }) => row.customer ?? row.id ?? []),
        ],
      },
    },
    select: { id: true, plan: true },
  });
  return {
    plans: content.plans.map(({ id }) => id),
    customers: new Map(customers.map(({ id, plan }) => [id, plan])),
    secrets: new Map(
      secrets.map(({ hash, apiKeyId, revokedAt, expiresAt }) => [
        hash,
        {
          id: apiKeyId,
          isEnded: revokedAt !== null || (expiresAt?.getTime() ?? nowMs + 1) <= nowMs,
        },
      ]),
    ),
    keys: new Map(
      keys.map(({ id, customerId, name, revokedAt }) => [
        id,
        { customer: customerId, name, isRevoked: revokedAt !== null },
      ]),
    ),
  };
}

async function write(ctx: Ctx, tx: Tx, plan: ImportPlan): Promise<void> {
  const { newCustomers, movedCustomers, newKeys, renamedKeys } = plan;
  const updatedAt = new Date(ctx.clock.nowMs());
  await tx.customer.createMany({
    data: [...newCustomers].map(([id, on]) => ({ id, name: id, plan: on })),
  });
  await tx.apiKey.createMany({
    data: newKeys.map(({ id, customer, name }) => ({ id, customerId: customer, name })),
  });
  await tx.keySecret.createMany({
    data: newKeys.map(({ id, hash, keyId, prefix }) => ({
      hash,
      hashKeyId: keyId,
      apiKeyId: id,
      prefix,
    })),
  });
  for (const [id, name] of renamedKeys) await tx.apiKey.update({ where: { id }, data: { name } });
  for (const [id, on] of movedCustomers)
    await tx.customer.update({ where: { id }, data: { plan: on, updatedAt } });
  const entries: DirectoryEntry[] = [
    ...[...newCustomers, ...movedCustomers].map(
      ([id, on]): DirectoryEntry => ({ type: "customer", id, plan: on }),
    ),
    ...newKeys.map(
      ({ hash, keyId, id, customer }): DirectoryEntry => ({
        type: "key",
        hash,
        keyId,
        id,
        customer,
      }),
    ),
  ];
  if (entries.length > 0) await changeDirectory(tx, entries);
  if (entries.length === 0 && renamedKeys.size === 0) return;
  const counts = {
    keys: newKeys.length,
    customers: newCustomers.size,
    moved: movedCustomers.size,
    renamed: renamedKeys.size,
  };
  const moved = [...movedCustomers].map(([customer, on]) => `${customer} to ${on}`);
  await recordAudit(tx, ctx.actor, {
    action: "key.import",
    kind: "key",
    objectId: "import",
    sentence: `${ctx.actor.name} imported ${counts.keys} keys: ${counts.customers} new customers, ${counts.moved} moved, ${counts.renamed} keys renamed`,
    details: { ...counts, keyIds: newKeys.map(({ id }) => id), movedCustomers: moved },
  });
}
