import { type IpAddress, parseCidr } from "./ip";

/**
 * Addresses and CIDR ranges to one membership test: a set look-up for each prefix length that occurs, however
 * many ranges there are. What is no range (the schema refuses it) contains nothing.
 */
export function compileRanges(ranges: readonly string[]): (address: IpAddress) => boolean {
  const networks = { ipv4: new Map<number, Set<string>>(), ipv6: new Map<number, Set<string>>() };
  for (const text of ranges) {
    const range = parseCidr(text);
    if (range === null) continue;
    const byBits = networks[range.network.kind()];
    const set = byBits.get(range.bits) ?? new Set();
    set.add(networkKey(range.network.toByteArray(), range.bits));
    byBits.set(range.bits, set);
  }
  return (address) => {
    const byBits = networks[address.kind()];
    if (byBits.size === 0) return false;
    const bytes = address.toByteArray();
    for (const [bits, set] of byBits) if (set.has(networkKey(bytes, bits))) return true;
    return false;
  };
}

function networkKey(bytes: readonly number[], bits: number): string {
  let key = "";
  for (let i = 0, left = bits; left > 0; i += 1, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
    key += String.fromCharCode((bytes[i] ?? 0) & mask);
  }
  return key;
}
