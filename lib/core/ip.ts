import ipaddr from "ipaddr.js";

/**
 * One spelling per address: IPv4 dotted, IPv4-mapped as IPv4, IPv6 compressed without zone, a prefix
 * `2001:db8::/64` with its host bits cleared. Null if it is no address (octal, short and hex IPv4 are none).
 */
export function canonicalIp(text: string): string | null {
  if (!text.includes("/")) return parseIp(text)?.toString() ?? null;
  const cidr = parseCidr(text);
  if (cidr === null) return null;
  const { network, bits } = cidr;
  return bits === widthOf(network) ? network.toString() : `${networkOf(network, bits)}/${bits}`;
}

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Strict: four decimal parts without leading zeros, or IPv6; a zone is dropped, IPv4-mapped becomes IPv4. */
export function parseIp(text: string): IpAddress | null {
  const zone = text.indexOf("%");
  const bare = zone === -1 ? text : text.slice(0, zone);
  if (bare.includes(":")) {
    if (!ipaddr.IPv6.isValid(bare)) return null;
    const v6 = ipaddr.IPv6.parse(bare);
    return v6.isIPv4MappedAddress() ? v6.toIPv4Address() : v6;
  }
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare)) return null;
  return ipaddr.IPv4.parse(bare);
}

/** The client id of an address: IPv4 whole, IPv6 by its network of `ipv6PrefixLength` bits. */
export function ipClientId(address: IpAddress, ipv6PrefixLength: number): `ip:${string}` {
  if (address.kind() === "ipv4" || ipv6PrefixLength === 128) return `ip:${address.toString()}`;
  return `ip:${networkOf(address, ipv6PrefixLength)}/${ipv6PrefixLength}`;
}

/** `198.51.100.0/24` or a single address, `::ffff:198.51.100.0/120` as IPv4; null if it is neither. */
export function parseCidr(text: string): { network: IpAddress; bits: number } | null {
  const slash = text.indexOf("/");
  const address = slash === -1 ? text : text.slice(0, slash);
  const network = parseIp(address);
  if (network === null) return null;
  const width = widthOf(network);
  if (slash === -1) return { network, bits: width };
  const digits = text.slice(slash + 1);
  // The first 96 bits of an IPv4-mapped range say only that it is one.
  const bits = Number(digits) - (width === 32 && address.includes(":") ? 96 : 0);
  return /^[0-9]{1,3}$/.test(digits) && bits >= 0 && bits <= width ? { network, bits } : null;
}

function widthOf(address: IpAddress): number {
  return address.kind() === "ipv4" ? 32 : 128;
}

/** An IPv4 address is in no IPv6 range and the other way round. */
export function isInCidr(address: IpAddress, range: { network: IpAddress; bits: number }): boolean {
  if (address.kind() !== range.network.kind()) return false;
  const bytes = address.toByteArray();
  const network = range.network.toByteArray();
  for (let i = 0, left = range.bits; left > 0; i += 1, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
    if (((bytes[i] ?? 0) & mask) !== ((network[i] ?? 0) & mask)) return false;
  }
  return true;
}

function networkOf(address: IpAddress, bits: number): string {
  const bytes = address.toByteArray().map((byte, i) => {
    const kept = Math.min(8, Math.max(0, bits - i * 8));
    return byte & ((0xff << (8 - kept)) & 0xff);
  });
  return ipaddr.fromByteArray(bytes).toString();
}
