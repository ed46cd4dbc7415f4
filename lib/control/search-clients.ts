import type { z } from "zod";
import {
  type ClientFound,
  type ClientSearch,
  ClientSearchQuerySchema,
} from "@/lib/core/api/clients";
import { type ClientId, parseClientId } from "@/lib/core/client-id";
import { countedAs } from "@/lib/core/override-subject";
import { parseInput } from "@/lib/core/parse";
import type { Content } from "@/lib/core/ruleset-objects";
import { factsOfClients } from "./client-facts";
import type { Ctx } from "./context";
import { findClients } from "./find-clients";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";

/** Whom a text means: a key, a customer, an address or who sent a request. The surest first. */
export async function searchClients(
  ctx: Ctx,
  input: z.input<typeof ClientSearchQuerySchema>,
): Promise<ClientSearch> {
  requirePermission(ctx, "read");
  const { q } = parseInput(ClientSearchQuerySchema, input, "the query");
  const { content } = await getLive(ctx.db);
  const [typed, requests, keys, customers] = await Promise.all([
    byId(ctx, q, content),
    byRequest(ctx, q, content),
    findClients(ctx, { kind: "key", text: q }),
    findClients(ctx, { kind: "customer", text: q }),
  ]);
  const found: ClientFound[] = [
    ...typed,
    ...requests,
    ...keys.map((key) => ({ ...key, by: "key" as const, requestId: null })),
    ...customers.map((one) => ({
      ...one,
      customer: null,
      by: "customer" as const,
      requestId: null,
    })),
  ];
  const items = found.filter(
    ({ client }, i) => found.findIndex((other) => other.client === client) === i,
  );
  return { items };
}

/** A client id, or an address as people write it. */
async function byId(ctx: Ctx, text: string, content: Content): Promise<ClientFound[]> {
  const named = parseClientId(text) ?? parseClientId(`ip:${text}`);
  const client = named === null ? null : countedAs(named, content.settings.ipv6PrefixLength);
  if (client === null) return [];
  if (client.startsWith("ip:"))
    return rowsOf(ctx, [{ client, by: "address", requestId: null }], content);
  const id = client.slice(client.indexOf(":") + 1);
  const kind = client.startsWith("key:") ? ("key" as const) : ("customer" as const);
  const known =
    kind === "key"
      ? await ctx.db.apiKey.findUnique({ where: { id } })
      : await ctx.db.customer.findUnique({ where: { id } });
  return known === null ? [] : rowsOf(ctx, [{ client, by: kind, requestId: null }], content);
}

async function byRequest(ctx: Ctx, requestId: string, content: Content): Promise<ClientFound[]> {
  const hits = await ctx.db.hitSample.findMany({
    where: { requestId },
    select: { client: true },
    distinct: ["client"],
    take: 5,
  });
  const clients = hits.flatMap(({ client }) => parseClientId(client) ?? []);
  return rowsOf(
    ctx,
    clients.map((client) => ({ client, by: "request", requestId })),
    content,
  );
}

type Hint = { client: ClientId; by: ClientFound["by"]; requestId: string | null };

async function rowsOf(
  { db }: Ctx,
  hints: readonly Hint[],
  content: Content,
): Promise<ClientFound[]> {
  if (hints.length === 0) return [];
  const clients = hints.map(({ client }) => client);
  const keyIds = clients.flatMap((client) => (client.startsWith("key:") ? [client.slice(4)] : []));
  const [factsOf, keys] = await Promise.all([
    factsOfClients(db, clients, content),
    db.apiKey.findMany({ where: { id: { in: keyIds } }, select: { id: true, customerId: true } }),
  ]);
  return hints.map((hint) => ({
    ...hint,
    ...factsOf(hint.client),
    customer: keys.find(({ id }) => `key:${id}` === hint.client)?.customerId ?? null,
  }));
}
