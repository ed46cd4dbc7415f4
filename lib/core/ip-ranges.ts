import { type IpAddress, parseCidr } from "./ip";

/**
 * An address to compare with `<`: IPv4 as a number, IPv6 as eight UTF-16 units, so that of one kind the order is
 * that of the networks. Worked out once a request.
 */
export type AddressKey = number | string;

/** A CIDR range, both ends included; `text` is its one spelling. */
export type Network = { text: string; first: AddressKey; last: AddressKey };

export type PrefixNode<T> = Network & { value: T; parent: PrefixNode<T> | null };

export type PrefixTable<T> = {
  /** The narrowest range that holds the address; the wider ones that do are its parents. */
  find(address: AddressKey): PrefixNode<T> | null;
};

export function addressKey(address: IpAddress): AddressKey {
  if ("octets" in address) return ipv4Key(address.octets);
  return String.fromCharCode(...address.parts);
}

/** What is no range (the schema refuses it) holds nothing and is left out. */
export function parseNetworks(ranges: readonly string[]): Network[] {
  const networks: Network[] = [];
  for (const range of ranges) {
    const cidr = parseCidr(range);
    if (cidr !== null) networks.push(networkOf(cidr.network, cidr.bits));
  }
  return networks;
}

/**
 * Ranges to a binary search: two of them are nested or apart, so of those that start at or before an address
 * the last one or one around it is the narrowest. Of equal ranges the first counts.
 */
export function compilePrefixes<T>(ranges: Iterable<Network & { value: T }>): PrefixTable<T> {
  const ipv4: PrefixNode<T>[] = [];
  const ipv6: PrefixNode<T>[] = [];
  for (const { text, first, last, value } of ranges) {
    const nodes = typeof first === "number" ? ipv4 : ipv6;
    nodes.push({ text, first, last, value, parent: null });
  }
  nest(ipv4);
  nest(ipv6);
  return { find: (address) => find(typeof address === "number" ? ipv4 : ipv6, address) };
}

/** Whether an address is in any of the ranges, however many there are. */
export function compileRanges(ranges: readonly Network[]): (address: AddressKey) => boolean {
  const { find } = compilePrefixes(ranges.map((range) => ({ ...range, value: null })));
  return (address) => find(address) !== null;
}

/** Wider ranges come before those within them. */
function nest<T>(nodes: PrefixNode<T>[]): void {
  nodes.sort((a, b) => {
    if (a.first !== b.first) return a.first < b.first ? -1 : 1;
    return a.last === b.last ? 0 : a.last > b.last ? -1 : 1;
  });
  let around: PrefixNode<T> | null = null;
  let kept = 0;
  for (const node of nodes) {
    if (around !== null && around.text === node.text) continue;
    while (around !== null && around.last < node.first) around = around.parent;
    node.parent = around;
    around = node;
    nodes[kept] = node;
    kept += 1;
  }
  nodes.length = kept;
}

function find<T>(nodes: readonly PrefixNode<T>[], address: AddressKey): PrefixNode<T> | null {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const node = nodes[middle];
    if (node !== undefined && node.first <= address) low = middle + 1;
    else high = middle;
  }
  let node = nodes[low - 1] ?? null;
  while (node !== null && node.last < address) node = node.parent;
  return node;
}

function networkOf(network: IpAddress, bits: number): Network {
  if ("octets" in network) {
    const size = 2 ** (32 - bits);
    const first = Math.floor(ipv4Key(network.octets) / size) * size;
    return { text: `4:${first}/${bits}`, first, last: first + size - 1 };
  }
  const masks = network.parts.map((_, i) => 0xffff >> Math.min(16, Math.max(0, bits - i * 16)));
  const parts = network.parts.map((part, i) => part & ~(masks[i] ?? 0));
  const first = String.fromCharCode(...parts);
  const last = String.fromCharCode(...parts.map((part, i) => part | (masks[i] ?? 0)));
  return { text: `6:${parts.join(":")}/${bits}`, first, last };
}

function ipv4Key(octets: readonly number[]): number {
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  return ((a * 256 + b) * 256 + c) * 256 + d;
}
