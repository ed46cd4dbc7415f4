import type { z } from "zod";
import { KeyExportQuerySchema, type KeyListQuery } from "@/lib/core/api/keys";
import { csvLine } from "@/lib/core/csv";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { isWorking } from "./key-row";
import { keyPage } from "./list-keys";
import { requirePermission } from "./permission";

const PAGE = 2_000;
const COLUMNS = [
  "id",
  "customer",
  "plan",
  "name",
  "prefix",
  "created_at",
  "last_used_at",
  "revoked_at",
];

/**
 * Every key that fits as CSV that an import takes again, however many: read page by page while it is sent. Never a
 * key itself; its keyed hash only on request, and only for who may manage keys.
 */
export function exportKeys(
  ctx: Ctx,
  input: z.input<typeof KeyExportQuerySchema> = {},
): AsyncGenerator<string> {
  requirePermission(ctx, "read");
  const { hashes = false, ...query } = parseInput(KeyExportQuerySchema, input, "the query");
  if (hashes) requirePermission(ctx, "keys");
  return linesOf(ctx, query, hashes);
}

async function* linesOf(
  ctx: Ctx,
  query: Omit<KeyListQuery, "limit" | "cursor">,
  withHashes: boolean,
): AsyncGenerator<string> {
  // The mark by which Excel knows UTF-8.
  yield `\uFEFF${csvLine(withHashes ? [...COLUMNS, "hash", "hash_key_id"] : COLUMNS)}`;
  let cursor: string | undefined;
  do {
    const page = await keyPage(ctx, { ...query, limit: PAGE, cursor });
    const lines: string[] = [];
    for (const { row, secrets } of page.rows) {
      const { id, customer, plan, name, prefix, createdAt, lastUsedAt, revokedAt } = row;
      const cells = [id, customer, plan, name, prefix, createdAt, lastUsedAt, revokedAt];
      if (!withHashes) lines.push(csvLine(cells));
      // A line a text: while it is rotated a key has two.
      else
        for (const secret of secrets.filter((each) => isWorking(each, ctx.clock.nowMs())))
          lines.push(csvLine([...cells, secret.hash, secret.hashKeyId]));
    }
    yield lines.join("");
    cursor = page.next;
  } while (cursor !== undefined);
}
