import { z } from "zod";
import type { FoundClient } from "@/lib/core/api/overrides";
import { apiKeyPrefix } from "@/lib/core/api-key";
import { parseInput } from "@/lib/core/parse";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import { likeText } from "@/lib/db/like";
import { factsOfClients } from "./client-facts";
import type { Ctx } from "./context";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

const FOUND_MAX = 20;

export const FindClientsSchema = z.strictObject({
  kind: z.enum(["key", "customer"]),
  /** Of a key: how it begins, its id or its customer's. Of a customer: how its id or name begins. */
  text: z.string().trim().max(200),
});

/** For pickers: the first few clients that a text may mean. */
export async function findClients(
  ctx: Ctx,
  input: z.input<typeof FindClientsSchema>,
): Promise<FoundClient[]> {
  requirePermission(ctx, "read");
  const { kind, text } = parseInput(FindClientsSchema, input, "the search");
  const { content } = await getLive(ctx.db);
  return kind === "key" ? findKeys(ctx.db, text, content) : findCustomers(ctx.db, text, content);
}

async function findKeys(reader: Reader, text: string, content: Content): Promise<FoundClient[]> {
  // Somebody may paste the whole key: only what is stored of it goes further.
  const prefix = likeText(apiKeyPrefix(text));
  // Each by an index of its own: together they would look at every key.
  const ways =
    text === ""
      ? [{}]
      : [
          { id: text },
          { customerId: text },
          { secrets: { some: { prefix: { startsWith: prefix }, revokedAt: null } } },
        ];
  const found = await Promise.all(ways.map((way) => newestKeys(reader, way)));
  const keys = [...new Map(found.flat().map((key) => [key.id, key])).values()]
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
    .slice(0, FOUND_MAX);
  const factsOf = await factsOfClients(
    reader,
    keys.map(({ id }) => `key:${id}`),
    content,
  );
  return keys.map(({ id, customerId }) => {
    const client = `key:${id}`;
    return { client, customer: customerId, ...factsOf(client) };
  });
}

function newestKeys(reader: Reader, way: object) {
  return reader.apiKey.findMany({
    where: { revokedAt: null, ...way },
    select: { id: true, customerId: true, createdAt: true },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: FOUND_MAX,
  });
}

async function findCustomers(
  reader: Reader,
  text: string,
  content: Content,
): Promise<FoundClient[]> {
  const customers = await reader.customer.findMany({
    where:
      text === ""
        ? {}
        : {
            OR: [
              { id: { startsWith: likeText(text.toLowerCase()) } },
              { name: { startsWith: likeText(text), mode: "insensitive" } },
            ],
          },
    select: { id: true },
    orderBy: { id: "asc" },
    take: FOUND_MAX,
  });
  const factsOf = await factsOfClients(
    reader,
    customers.map(({ id }) => `customer:${id}`),
    content,
  );
  return customers.map(({ id }) => {
    const client = `customer:${id}`;
    return { client, customer: id, ...factsOf(client) };
  });
}
