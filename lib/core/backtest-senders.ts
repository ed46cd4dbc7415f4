import type { AccessLogEntry } from "./access-log";
import type { BacktestRequest } from "./backtest-result";
import { parseCidr, parseIp } from "./ip";
import { addressKey, compilePrefixes, parseNetworks } from "./ip-ranges";
import { ANONYMOUS_PLAN } from "./plan";

const KNOWN_MAX = 200_000;

/** Who is on which plan: `198.51.100.7`, `198.51.100.0/24`, else the beginning of a key, or a user's name. */
export type KnownSender = { client: string; plan: string; customer: string | null };

export type Sender = Pick<BacktestRequest, "client" | "ip" | "plan"> & { customer: string | null };

/**
 * Who sent a log's line. A known sender counts as the holder of a key on that plan: `key:` and its address, or the text
 * that the list has (never more of a key than that). A key or user comes before an address, the longest text before
 * shorter ones, the narrowest network before wider ones. All others are anonymous, by address.
 */
export function createSenders(
  known: readonly KnownSender[] = [],
): (entry: Pick<AccessLogEntry, "client" | "key" | "user">) => Sender {
  const networks = compilePrefixes(
    known.flatMap((sender) =>
      parseCidr(barred(sender.client)) === null
        ? []
        : parseNetworks([barred(sender.client)]).map((network) => ({ ...network, value: sender })),
    ),
  );
  const texts = new Map<string, KnownSender>();
  for (const sender of known)
    if (parseCidr(barred(sender.client)) === null) texts.set(barred(sender.client), sender);
  const lengths = [...new Set([...texts.keys()].map((text) => text.length))].sort((a, b) => b - a);
  const senders = new Map<string, Sender>();

  function named(text: string | null): KnownSender | undefined {
    if (text === null) return undefined;
    for (const length of lengths) {
      const found = length <= text.length ? texts.get(text.slice(0, length)) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function make({
    client: ip,
    key,
    user,
  }: Pick<AccessLogEntry, "client" | "key" | "user">): Sender {
    const byText = named(key) ?? (user === null ? undefined : texts.get(user));
    if (byText !== undefined) return keyHolder(byText, barred(byText.client), ip);
    const address = parseIp(ip);
    const found = address === null ? null : networks.find(addressKey(address));
    if (found !== null) return keyHolder(found.value, ip, ip);
    return { client: `ip:${ip}`, ip, plan: ANONYMOUS_PLAN, customer: null };
  }

  return (entry) => {
    const { client, key, user } = entry;
    const name = texts.size === 0 ? client : `${client}\n${key ?? ""}\n${user ?? ""}`;
    let sender = senders.get(name);
    if (sender === undefined) {
      sender = make(entry);
      if (senders.size >= KNOWN_MAX) senders.clear();
      senders.set(name, sender);
    }
    return sender;
  };
}

function keyHolder({ plan, customer }: KnownSender, name: string, ip: string): Sender {
  return { client: `key:${name}`, ip, plan, customer };
}

function barred(client: string): string {
  return client.replace(/^(?:ip|key):/, "");
}
