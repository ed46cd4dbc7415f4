import type { IncomingMessage } from "node:http";
import { type IpAddress, isInCidr, parseCidr, parseIp } from "@/lib/core/ip";

/** Whose word about the client's address is taken: nobody's, some networks', or the last `count` proxies'. */
export type TrustProxy =
  | { kind: "none" }
  | { kind: "hops"; count: number }
  | { kind: "networks"; cidrs: string[] };

export type ClientAddress = {
  address: IpAddress;
  /** Whether the socket's other end is a proxy that is trusted. */
  isPeerTrusted: boolean;
  /** X-Forwarded-For held something that is no address, so the socket's address was taken. */
  isJunk: boolean;
};

/** Texts already parsed. Cleared when full: a flood of addresses costs time, not memory. */
const PARSED_MAX = 20_000;
/** Longer than any address with brackets and port; what is longer is not remembered. */
const TEXT_MAX = 64;
/** A socket that is gone already has no address. */
const NOWHERE = "0.0.0.0";

type Parsed = { address: IpAddress; isTrusted: boolean } | null;

/** Reads X-Forwarded-For from its trustworthy end, the right. Several lines are one list. */
export function createClientAddress(
  trust: TrustProxy,
): (request: IncomingMessage) => ClientAddress {
  const ranges =
    trust.kind === "networks" ? trust.cidrs.flatMap((cidr) => parseCidr(cidr) ?? []) : [];
  const parsed = new Map<string, Parsed>();

  function parse(text: string): Parsed {
    const held = parsed.get(text);
    if (held !== undefined) return held;
    const address = parseIp(bareAddress(text));
    const result = address && {
      address,
      isTrusted: ranges.some((range) => isInCidr(address, range)),
    };
    if (text.length > TEXT_MAX) return result;
    if (parsed.size >= PARSED_MAX) parsed.clear();
    parsed.set(copyOf(text), result);
    return result;
  }

  return (request) => {
    const peer = parse(request.socket.remoteAddress ?? NOWHERE) ?? parse(NOWHERE);
    if (peer === null) throw new Error(`${NOWHERE} must be an address`);
    const isPeerTrusted = trust.kind === "hops" || peer.isTrusted;
    const list = isPeerTrusted ? request.headers["x-forwarded-for"] : undefined;
    const own = { address: peer.address, isPeerTrusted, isJunk: false };
    if (typeof list !== "string" || list.trim() === "") return own;
    let found = own.address;
    let hop = 0;
    for (let end = list.length; end >= 0; ) {
      const comma = end === 0 ? -1 : list.lastIndexOf(",", end - 1);
      const text = list.slice(comma + 1, end).trim();
      end = comma;
      // Lists may have empty members (RFC 9110 §5.6.1).
      if (text === "") continue;
      const entry = parse(text);
      if (entry === null) return { ...own, isJunk: true };
      found = entry.address;
      hop += 1;
      if (trust.kind === "hops" ? hop === trust.count : !entry.isTrusted) break;
    }
    return { address: found, isPeerTrusted, isJunk: false };
  };
}

/** A piece of a string keeps the whole one in memory: here a header of up to 16 KB. */
function copyOf(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

const BRACKETED = /^\[([^\]]*)\](?::[0-9]{1,5})?$/;
const WITH_PORT = /^([0-9.]+):[0-9]{1,5}$/;

function bareAddress(text: string): string {
  return BRACKETED.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text;
}
