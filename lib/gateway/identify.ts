import type { IncomingHttpHeaders } from "node:http";
import type { KeyLookup, PresentedKey } from "@/lib/agent/key-lookup";
import type { Identity } from "@/lib/core/identity";
import { type IpAddress, ipClientId } from "@/lib/core/ip";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import type { Settings } from "@/lib/core/ruleset";

export type Identified = {
  identity: Identity;
  /** A key was presented that nobody has, or no longer. */
  isUnknownKey: boolean;
};

type Input = {
  headers: IncomingHttpHeaders;
  address: IpAddress;
  settings: Settings;
  lookUpKey: KeyLookup;
};

/** Who sent this: a known key's holder, else the address. An unknown second credential changes nothing. */
export function identify({ headers, address, settings, lookUpKey }: Input): Identified {
  const ipClient = ipClientId(address, settings.ipv6PrefixLength);
  const found = findKey(headers, lookUpKey);
  if (found === null || found.state === "unknown") {
    const identity: Identity = {
      client: ipClient,
      authenticated: false,
      customer: null,
      plan: ANONYMOUS_PLAN,
      ip: address,
      ipClient,
    };
    return { identity, isUnknownKey: found !== null };
  }
  const isKnown = found.state === "known";
  const identity: Identity = {
    client: found.client,
    authenticated: true,
    // An undecided key is its own customer, so that rules by customer hold it too.
    customer: isKnown ? found.customer : found.client.slice("key:".length),
    plan: (isKnown ? found.plan : null) ?? settings.incompleteDirectoryPlan,
    ip: address,
    ipClient,
  };
  return { identity, isUnknownKey: false };
}

/** X-API-Key, else the bearer token; a known one beats one that is not. Null: no key was presented. */
function findKey(headers: IncomingHttpHeaders, lookUpKey: KeyLookup): PresentedKey | null {
  const apiKey = headers["x-api-key"];
  const first = typeof apiKey === "string" ? apiKey.trim() : "";
  const found = first === "" ? null : lookUpKey(first);
  if (found?.state === "known") return found;
  const bearer = bearerToken(headers.authorization);
  if (bearer === null || bearer === first) return found;
  const second = lookUpKey(bearer);
  return found === null || second.state === "known" ? second : found;
}

const BEARER = /^bearer[ \t]+(\S.*)$/i;

function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  return BEARER.exec(authorization.trim())?.[1]?.trim() ?? null;
}
