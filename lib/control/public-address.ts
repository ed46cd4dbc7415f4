import { BlockList, isIPv4 } from "node:net";

const PRIVATE_4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]);

/** All of IPv6 that is routed; mapped, translated, local and multicast addresses are outside it. */
const GLOBAL_6 = blockList("ipv6", [["2000::", 3]]);
/** Within it: Teredo and other protocol addresses, documentation, 6to4 (which holds an IPv4 address). */
const NOT_GLOBAL_6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Of the public internet: not this machine, its network, or where a cloud keeps its machines' credentials. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE_4.check(address);
  const bare = address.split("%")[0] ?? "";
  return GLOBAL_6.check(bare, "ipv6") && !NOT_GLOBAL_6.check(bare, "ipv6");
}

function blockList(family: "ipv4" | "ipv6", networks: readonly [string, number][]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family);
  return list;
}
