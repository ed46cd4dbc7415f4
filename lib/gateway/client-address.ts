import type { IncomingMessage } from "node:http";
import type { AddressHeader } from "@/lib/core/identity-settings";
import { type IpAddress, isInCidr, parseCidr, parseIp } from "@/lib/core/ip";
import { parseElement, startOfElement } from "./forwarded-element";

/** Whose word about the client's address is taken: nobody's, some networks', or the last `count` proxies'. */
export type TrustProxy =
  | { kind: "none" }
  | { kind: "hops"; count: number }
  | { kind: "networks"; cidrs: string[] };

export type ClientAddress = {
  address: IpAddress;
  /** Whether the socket's other end is a proxy that is trusted. */
  isPeerTrusted: boolean;
  /** The header held something that is no address, so the socket's address was taken. */
  isJunk: boolean;
  /** The header from the client's entry on: what trusted hops said, without the client's own words. */
  chain: string;
  /** How the client asked, where `Forwarded` says so. */
  proto: string | null;
  host: string | null;
};

/** Texts already parsed. Cleared when full: a flood of addresses costs time, not memory. */
const PARSED_MAX = 20_000;
/** Longer than any address with brackets and port; what is longer is not remembered. */
const TEXT_MAX = 64;
/** A socket that is gone already has no address. */
const NOWHERE = "0.0.0.0";

type Parsed = { address: IpAddress; isTrusted: boolean } | null;

export type ReadClientAddress = (request: IncomingMessage, header: AddressHeader) => ClientAddress;

/** Reads X-Forwarded-For or Forwarded from its trustworthy end, the right. Several lines are one list. */
export function createClientAddress(trust: TrustProxy): ReadClientAddress {
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

  return (request, header) => {
    const peer = parse(request.socket.remoteAddress ?? NOWHERE) ?? parse(NOWHERE);
    if (peer === null) throw new Error(`${NOWHERE} must be an address`);
    const isPeerTrusted = trust.kind === "hops" || peer.isTrusted;
    const list = isPeerTrusted ? request.headers[header] : undefined;
    const own = { ...UNSAID, address: peer.address, isPeerTrusted };
    if (typeof list !== "string" || list.trim() === "") return own;
    const read = READERS[header];
    let found: ClientAddress = own;
    let hop = 0;
    for (let end = list.length; end >= 0; ) {
      const entry = read(list, end);
      if (entry === null) return { ...own, isJunk: true };
      end = entry.start - 1;
      // Lists may have empty members (RFC 9110 §5.6.1).
      if (entry.node === "") continue;
      const at = parse(entry.node);
      if (at === null) return { ...own, isJunk: true };
      const { proto, host, start } = entry;
      const chain = list.slice(start).trim();
      found = { address: at.address, isPeerTrusted, isJunk: false, chain, proto, host };
      hop += 1;
      if (trust.kind === "hops" ? hop === trust.count : !at.isTrusted) break;
    }
    return found;
  };
}

const UNSAID = { isJunk: false, chain: "", proto: null, host: null };

/** The last entry of list[0, end); an empty node is an empty member. */
type Entry = { start: number; node: string; proto: string | null; host: string | null };

const READERS: Record<AddressHeader, (list: string, end: number) => Entry | null> = {
  "x-forwarded-for": (list, end) => {
    const start = end === 0 ? 0 : list.lastIndexOf(",", end - 1) + 1;
    return { start, node: list.slice(start, end).trim(), proto: null, host: null };
  },
  forwarded: (list, end) => {
    const start = startOfElement(list, end);
    if (start === null) return null;
    const text = list.slice(start, end).trim();
    if (text === "") return { start, node: "", proto: null, host: null };
    const element = parseElement(text);
    // An empty `for` names nobody; it is no empty member.
    return element === null || element.node === "" ? null : { start, ...element };
  },
};

/** A piece of a string keeps the whole one in memory: here a header of up to 16 KB. */
function copyOf(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

/** A port may be hidden behind a word (RFC 7239 §6.2). */
const BRACKETED = /^\[([^\]]*)\](?::(?:[0-9]{1,5}|_[A-Za-z0-9._-]+))?$/;
const WITH_PORT = /^([0-9.]+):(?:[0-9]{1,5}|_[A-Za-z0-9._-]+)$/;

function bareAddress(text: string): string {
  return BRACKETED.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text;
}
