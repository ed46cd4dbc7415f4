import { type ClientId, parseClientId } from "./client-id";
import { ipClientId, parseIp } from "./ip";
import { type Amount, amountForm, fitsLimit, isShedder } from "./limit";
import { countByWords } from "./limit-sentence";
import type { Rule } from "./rule";

/** Whose override it is. */
export type OverrideSubject = "key" | "customer" | "ip";

/**
 * Whose overrides may change a bucket, the strongest first: those of clients that share it with nobody else's. One
 * limit among several would clip everybody's tokens: a key's is not for a bucket of its customer or address, a
 * customer's not for one of an address, and a bucket by plan, route or header alone is nobody's own.
 */
export function overrideSubjects(countBy: readonly string[]): readonly OverrideSubject[] {
  const has = (...parts: string[]) => parts.some((part) => countBy.includes(part));
  if (has("client", "apiKey")) return ["key", "customer", "ip"];
  if (has("customer")) return ["customer", "ip"];
  return has("ip") ? ["ip"] : [];
}

const SUBJECT_WORDS: Record<OverrideSubject, string> = {
  key: "key:<id>",
  customer: "customer:<id>",
  ip: "ip:<address>",
};

export function subjectOf(client: ClientId): OverrideSubject {
  if (client.startsWith("key:")) return "key";
  return client.startsWith("customer:") ? "customer" : "ip";
}

/** Why gateways would ignore an override, null when they use it. */
export function overrideMisfit(
  rule: Pick<Rule, "id" | "limit" | "countBy">,
  { client, limit: amount }: { client: ClientId; limit: Amount },
  { ipv6PrefixLength }: { ipv6PrefixLength: number },
): { path: "client" | "limit"; message: string } | null {
  const { id, limit, countBy } = rule;
  if (isShedder(limit)) {
    const message = `rule ${id} is of kind ${limit.kind} and sheds by priority: it has no limit that an override could change`;
    return { path: "limit", message };
  }
  if (!fitsLimit(limit, amount)) {
    const kind = limit.kind === "rate" ? limit.algorithm : limit.kind;
    const message = `rule ${id} is of kind ${kind} and takes "unlimited" or ${amountForm(limit)}, got ${formOf(amount)}`;
    return { path: "limit", message };
  }
  const subjects = overrideSubjects(countBy);
  if (!subjects.includes(subjectOf(client))) {
    const allowed = subjects.map((subject) => SUBJECT_WORDS[subject]).join(" or ");
    const message = `rule ${id} counts ${countByWords(countBy)}, in buckets that others share with ${client}: ${allowed === "" ? "no override changes it" : `an override of it is for ${allowed}`}`;
    return { path: "client", message };
  }
  const counted = countedAs(client, ipv6PrefixLength);
  if (counted === client) return null;
  const message =
    counted === null
      ? `${client} is a network: an override is for one address as it is counted`
      : `${client} is counted as ${counted}: give that`;
  return { path: "client", message };
}

/** A client as gateways count it: an address by its network; null for a network that is no client's. */
export function countedAs(client: ClientId, ipv6PrefixLength: number): ClientId | null {
  if (subjectOf(client) !== "ip") return client;
  const [address = "", bits] = client.slice("ip:".length).split("/");
  const ip = parseIp(address);
  if (ip === null || (bits !== undefined && Number(bits) !== ipv6PrefixLength)) return null;
  const counted = parseClientId(ipClientId(ip, ipv6PrefixLength));
  return bits !== undefined && counted !== client ? null : counted;
}

function formOf(amount: Amount): string {
  if (amount === "unlimited") return `"unlimited"`;
  const fields = `{${Object.keys(amount).join(", ")}}`;
  // Of windows it may be the interval that does not fit: months are for calendars.
  return "per" in amount && !("burst" in amount) ? `${fields} with per ${amount.per}` : fields;
}
