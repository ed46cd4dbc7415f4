import type { z } from "zod";
import { type KeyList, type KeyListQuery, KeyListQuerySchema } from "@/lib/core/api/keys";
import { apiKeyPrefix } from "@/lib/core/api-key";
import { parseInput } from "@/lib/core/parse";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { keyInclude, keyRow } from "./key-row";
import { requirePermission } from "./permission";

/** Newest first; revoked ones only on request. */
export async function listKeys(
  ctx: Ctx,
  input: z.input<typeof KeyListQuerySchema> = {},
): Promise<KeyList> {
  requirePermission(ctx, "read");
  const query = parseInput(KeyListQuerySchema, input, "the query");
  const where = filterOf(query);
  const [rows, total] = await Promise.all([
    ctx.db.apiKey.findMany({
      where: { AND: [where, afterCursor(query.cursor)] },
      include: keyInclude,
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
      take: query.limit + 1,
    }),
    ctx.db.apiKey.count({ where }),
  ]);
  const page = pageOf(rows, query.limit, (row) => [row.createdAt.getTime(), row.id]);
  return {
    items: page.rows.map(keyRow),
    total,
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function filterOf({ prefix, customer, plan, revoked }: KeyListQuery) {
  return {
    ...(revoked === true ? {} : { revokedAt: null }),
    ...(customer === undefined ? {} : { customerId: customer }),
    ...(plan === undefined ? {} : { customer: { plan } }),
    // Somebody may paste the whole key: only what is stored of it goes further.
    ...(prefix === undefined
      ? {}
      : { secrets: { some: { prefix: { startsWith: apiKeyPrefix(prefix) } } } }),
  };
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [at, id = ""] = decodeCursor(cursor, 2);
  const createdAt = cursorDate(at);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}
