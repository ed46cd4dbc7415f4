import type { Report } from "@/lib/core/api/report";
import { parseClientId } from "@/lib/core/client-id";
import { overrideFor } from "@/lib/core/client-reasons";
import type { KnownClient } from "@/lib/core/client-rules";
import { AmountSchema, amountFor, isShedder } from "@/lib/core/limit";
import { limitWords } from "@/lib/core/limit-words";
import { mostPerMinute } from "@/lib/core/most-per-minute";
import type { Rule } from "@/lib/core/rule";
import type { Reader } from "@/lib/db/client";
import { idOf, subjectsOf, toClientOverride } from "./known-client";

type Counted = { client: string; plan: string };
type ClientLimit = NonNullable<Report["topClients"][number]["peak"]>["limit"];

/** What a rule holds clients to now: by an override in force, else by the plan that they were counted under. */
export async function clientLimits(
  reader: Reader,
  { rule, clients, nowMs }: { rule: Rule | null; clients: readonly Counted[]; nowMs: number },
): Promise<(of: Counted) => ClientLimit> {
  if (rule === null || isShedder(rule.limit)) return () => null;
  const known = await knownClients(reader, clients);
  const overrides = await overridesOf(reader, [...known.values()], { rule: rule.id, nowMs });
  const { limit, cost } = rule;
  return ({ client, plan }) => {
    const one = known.get(client);
    const override = one === undefined ? null : overrideFor(rule, { ...one, plan }, overrides);
    const amount = override?.limit ?? amountFor(limit, plan);
    if (amount === null || amount === "unlimited") return null;
    return {
      words: limitWords(limit, amount),
      perMinute: isItsOwn(rule, client) ? mostPerMinute(limit, amount, cost) : null,
      isOverride: override !== null,
    };
  };
}

async function knownClients(
  reader: Reader,
  clients: readonly Counted[],
): Promise<Map<string, KnownClient>> {
  const ids = [...new Set(clients.map(({ client }) => client))].flatMap(
    (client) => parseClientId(client) ?? [],
  );
  const keys = await reader.apiKey.findMany({
    where: { id: { in: ids.filter((id) => id.startsWith("key:")).map(idOf) } },
    select: { id: true, customerId: true },
  });
  const customers = new Map(keys.map(({ id, customerId }) => [`key:${id}`, customerId]));
  return new Map(
    ids.map((client) => [client, { client, customer: customers.get(client) ?? null, plan: "" }]),
  );
}

async function overridesOf(
  reader: Reader,
  clients: readonly KnownClient[],
  { rule, nowMs }: { rule: string; nowMs: number },
) {
  const rows = await reader.override.findMany({
    where: {
      ruleId: rule,
      client: { in: clients.flatMap(subjectsOf) },
      endedAt: null,
      expiresAt: { gt: new Date(nowMs) },
    },
    select: { client: true, ruleId: true, limit: true },
  });
  return rows.map(({ client, ruleId, limit }) =>
    toClientOverride({ client, rule: ruleId, limit: AmountSchema.parse(limit) }),
  );
}

/** Whether the client alone fills the bucket that it is counted in. */
function isItsOwn({ countBy }: Pick<Rule, "countBy">, client: string): boolean {
  const [part, ...others] = countBy;
  if (others.length > 0) return false;
  if (part === "client") return true;
  return part === (client.startsWith("key:") ? "apiKey" : "ip");
}
