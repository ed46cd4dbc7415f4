import { type ClientId, ClientIdSchema } from "@/lib/core/client-id";
import type { ClientOverride, KnownClient } from "@/lib/core/client-rules";
import { AppError } from "@/lib/core/errors";
import { countedAs, subjectOf } from "@/lib/core/override-subject";
import { parseInput } from "@/lib/core/parse";
import type { Reader } from "@/lib/db/client";
import { factsOfClients } from "./client-facts";
import type { LoadedVersion } from "./live-version";

export type LoadedClient = KnownClient & { name: string; prefix: string; isRevoked: boolean };

/** A client of the directory, or an address as it is counted. Throws `not_found`, or `invalid` for what is no client. */
export async function loadClient(
  reader: Reader,
  text: string,
  { content }: Pick<LoadedVersion, "content">,
): Promise<LoadedClient> {
  const asked = parseInput(ClientIdSchema, text, "the client");
  const client = countedAs(asked, content.settings.ipv6PrefixLength);
  if (client === null)
    throw new AppError(
      "invalid",
      `${asked} is a network: a client is one address as it is counted`,
    );
  const id = idOf(client);
  const [factsOf, customer] = await Promise.all([
    factsOfClients(reader, [client], content),
    customerOf(reader, client, id),
  ]);
  const { name, prefix, plan } = factsOf(client);
  return { client, plan, name, prefix, ...customer };
}

async function customerOf(
  reader: Reader,
  client: ClientId,
  id: string,
): Promise<{ customer: string | null; isRevoked: boolean }> {
  switch (subjectOf(client)) {
    case "ip":
      return { customer: null, isRevoked: false };
    case "customer":
      if ((await reader.customer.findUnique({ where: { id } })) === null)
        throw new AppError("not_found", `there is no customer ${id}`);
      return { customer: id, isRevoked: false };
    case "key": {
      const key = await reader.apiKey.findUnique({ where: { id } });
      if (key === null) throw new AppError("not_found", `there is no key ${id}`);
      return { customer: key.customerId, isRevoked: key.revokedAt !== null };
    }
  }
}

/** Whose overrides may hold for it: itself, and its customer. */
export function subjectsOf({ client, customer }: KnownClient): ClientId[] {
  const own = customer === null ? [] : ([`customer:${customer}`] as const);
  return [...new Set<ClientId>([client, ...own])];
}

/** As gateways have them. */
export function toClientOverride({
  client,
  rule,
  limit,
}: {
  client: string;
  rule: string;
  limit: ClientOverride["limit"];
}): ClientOverride {
  return { client: ClientIdSchema.parse(client), rule, limit };
}

export function idOf(client: ClientId): string {
  return client.slice(client.indexOf(":") + 1);
}
