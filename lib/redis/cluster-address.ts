import { isIP } from "node:net";
import type { RedisAddress } from "./connect";

/** Of a node, as the cluster names it. */
export type Place = { host: string; port: number };

export function nameOf({ host, port }: Place): string {
  return `${host}:${port}`;
}

/** What a redirection says; a node that does not know its own host leaves it out. */
export function placeIn(address: string, by: { readonly name: string }): Place {
  const [host, port] = atLastColon(address);
  return { host: host === "" ? atLastColon(by.name)[0] : host, port: Number(port) };
}

/**
 * How a place is reached: as the seed that is there, else with the first one's user, password and TLS. Where the
 * cluster names nodes by IP, their certificate bears the seed's name.
 */
export function addressOf({ host, port }: Place, seeds: readonly RedisAddress[]): RedisAddress {
  const own = seeds.find((seed) => seed.host === host && seed.port === port);
  const [first] = seeds;
  if (own !== undefined) return own;
  if (first === undefined) return { host, port, database: 0, tls: false };
  const { serverName: _, ...common } = first;
  const name = first.serverName ?? first.host;
  const isNamedByIp = isIP(host) !== 0 && isIP(name) === 0;
  return { ...common, host, port, ...(isNamedByIp ? { serverName: name } : {}) };
}

function atLastColon(address: string): [string, string] {
  const colon = address.lastIndexOf(":");
  return [address.slice(0, colon), address.slice(colon + 1)];
}
