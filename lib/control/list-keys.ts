import type { z } from "zod";
import {
  KEYS_COUNTED,
  type KeyList,
  type KeyListQuery,
  KeyListQuerySchema,
  type KeyRow,
} from "@/lib/core/api/keys";
import { apiKeyPrefix } from "@/lib/core/api-key";
import { parseInput } from "@/lib/core/parse";
import { keyedHash } from "@/lib/core/secrets";
import { likeText } from "@/lib/db/like";
import type { Ctx } from "./context";
import { cursorDate, decodeCursor, pageOf } from "./cursor";
import { keyInclude, keyRow, type SecretRow } from "./key-row";
import { requirePermission } from "./permission";

/** Newest first; revoked ones only on request. */
export async function listKeys(
  ctx: Ctx,
  input: z.input<typeof KeyListQuerySchema> = {},
): Promise<KeyList> {
  requirePermission(ctx, "read");
  const query = parseInput(KeyListQuerySchema, input, "the query");
  const [page, counted] = await Promise.all([
    keyPage(ctx, query),
    ctx.db.apiKey.count({ where: filterOf(ctx, query), take: KEYS_COUNTED + 1 }),
  ]);
  return {
    items: page.rows.map(({ row }) => row),
    total: Math.min(counted, KEYS_COUNTED),
    totalIs: counted > KEYS_COUNTED ? "at-least" : "exact",
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

type KeyPage = { rows: { row: KeyRow; secrets: SecretRow[] }[]; next?: string };

export async function keyPage(
  ctx: Ctx,
  query: Omit<KeyListQuery, "cursor"> & { cursor?: string | undefined },
): Promise<KeyPage> {
  const found = await ctx.db.apiKey.findMany({
    where: { AND: [filterOf(ctx, query), afterCursor(query.cursor)] },
    include: keyInclude,
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: query.limit + 1,
  });
  const { rows, ...next } = pageOf(found, query.limit, (row) => [row.createdAt.getTime(), row.id]);
  const nowMs = ctx.clock.nowMs();
  return { rows: rows.map((row) => ({ row: keyRow(row, nowMs), secrets: row.secrets })), ...next };
}

function filterOf(
  ctx: Ctx,
  { prefix, customer, find, plan, revoked }: Omit<KeyListQuery, "limit" | "cursor">,
) {
  return {
    ...(revoked === true ? {} : { revokedAt: null }),
    ...(customer === undefined ? {} : { customerId: customer }),
    ...(plan === undefined ? {} : { customer: { plan } }),
    ...(find === undefined
      ? {}
      : { customer: { id: { startsWith: likeText(find) }, ...(plan && { plan }) } }),
    ...(prefix === undefined ? {} : { secrets: { some: secretOf(ctx, prefix) } }),
  };
}

/** Somebody may paste the whole key: only what is stored of it goes further. Of foreign keys less may be stored. */
function secretOf({ keys }: Ctx, text: string) {
  const prefix = apiKeyPrefix(text);
  const shorter = Array.from({ length: prefix.length }, (_, i) => prefix.slice(0, i + 1)).slice(3);
  const hashes = keys.apiKey.map((hashKey) => keyedHash(text, hashKey));
  return {
    OR: [
      { prefix: { startsWith: likeText(prefix) } },
      { prefix: { in: shorter } },
      { hash: { in: hashes } },
    ],
  };
}

function afterCursor(cursor: string | undefined) {
  if (cursor === undefined) return {};
  const [at, id = ""] = decodeCursor(cursor, 2);
  const createdAt = cursorDate(at);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}
