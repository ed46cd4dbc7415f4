import { type IpAddress, ipClientId, parseIp } from "@/lib/core/ip";

const IPV6_PREFIX_LENGTH = 64;

/**
 * The client id of who asks the console: the last hop of X-Forwarded-For that is not this machine's own proxy, else this
 * machine. A proxy before the console must set the header; without one Next puts the peer's address there.
 */
export function clientAddress(headers: Headers): string {
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").map((hop) => parseIp(hop.trim()));
  const far = hops.findLast((hop) => hop === null || !isLoopback(hop)) ?? hops.at(-1);
  return far ? addressId(far) : "ip:127.0.0.1";
}

function addressId(address: IpAddress): string {
  return ipClientId(address, IPV6_PREFIX_LENGTH);
}

function isLoopback(address: IpAddress): boolean {
  return address.range() === "loopback";
}
