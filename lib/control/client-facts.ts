import type { ClientFacts } from "@/lib/core/api/overrides";
import { type ClientId, parseClientId } from "@/lib/core/client-id";
import { subjectOf } from "@/lib/core/override-subject";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { DEFAULT_PLAN } from "@/lib/core/plan-effects";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";

export type FactsOf = (client: string) => ClientFacts;

/** What clients are called, and the plan that gateways have them on. */
export async function factsOfClients(
  reader: Reader,
  clients: readonly string[],
  { plans }: Pick<Content, "plans">,
): Promise<FactsOf> {
  const known = [...new Set(clients)].flatMap((text) => parseClientId(text) ?? []);
  const idsOf = (subject: "key" | "customer") =>
    known.flatMap((client) => (subjectOf(client) === subject ? [idOf(client)] : []));
  const [keys, customers] = await Promise.all([
    reader.apiKey.findMany({
      where: { id: { in: idsOf("key") } },
      select: {
        id: true,
        name: true,
        customer: { select: { plan: true } },
        secrets: { select: { prefix: true }, orderBy: { createdAt: "desc" }, take: 1 },
      },
    }),
    reader.customer.findMany({
      where: { id: { in: idsOf("customer") } },
      select: { id: true, name: true, plan: true },
    }),
  ]);
  const planOf = (id: string) => (plans.some((plan) => plan.id === id) ? id : DEFAULT_PLAN);
  const facts = new Map<string, ClientFacts>([
    ...keys.map(({ id, name, customer, secrets }): [string, ClientFacts] => [
      `key:${id}`,
      { name, prefix: secrets[0]?.prefix ?? "", plan: planOf(customer.plan) },
    ]),
    ...customers.map(({ id, name, plan }): [string, ClientFacts] => [
      `customer:${id}`,
      { name, prefix: "", plan: planOf(plan) },
    ]),
  ]);
  return (client) =>
    facts.get(client) ?? {
      name: "",
      prefix: "",
      plan: client.startsWith("ip:") ? ANONYMOUS_PLAN : DEFAULT_PLAN,
    };
}

function idOf(client: ClientId): string {
  return client.slice(client.indexOf(":") + 1);
}
