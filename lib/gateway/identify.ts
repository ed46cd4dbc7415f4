import type { IncomingHttpHeaders } from "node:http";
import type { ClientLookup } from "@/lib/agent/client-lookup";
import type { KeyLookup, PresentedKey } from "@/lib/agent/key-lookup";
import type { Identity } from "@/lib/core/identity";
import { type IpAddress, ipClientId } from "@/lib/core/ip";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import type { Settings } from "@/lib/core/ruleset";
import { headerOf } from "./header-of";
import { namedClient } from "./trusted-header";

/** What names a client: a key, or the word of a trusted hop. */
export type CredentialSource = "key" | "trusted-header";

export type Identified = {
  identity: Identity;
  /** Presented, and nobody's, or nobody's any longer; null where nothing was, or something else was known. */
  unknown: CredentialSource | null;
};

type Input = {
  /** Of the trusted header, what a peer that is not trusted said is out already. */
  headers: IncomingHttpHeaders;
  address: IpAddress;
  settings: Settings;
  lookUpKey: KeyLookup;
  lookUpClient: ClientLookup;
};

/** Who sent this: who a trusted hop says, a known key's holder, else the address. An unknown second credential changes nothing. */
export function identify(input: Input): Identified {
  const { address, settings } = input;
  const { found, unknown } = findClient(input);
  if (found === null) return { identity: anonymous(address, settings), unknown };
  return { identity: authenticated(found, address, settings), unknown: null };
}

type Found = Exclude<PresentedKey, { state: "unknown" }>;

function anonymous(address: IpAddress, settings: Settings): Identity {
  const ipClient = ipClientId(address, settings.ipv6PrefixLength);
  return {
    client: ipClient,
    authenticated: false,
    customer: null,
    plan: ANONYMOUS_PLAN,
    ip: address,
    ipClient,
  };
}

function authenticated(found: Found, address: IpAddress, settings: Settings): Identity {
  const { client, customer } = found;
  return {
    client,
    authenticated: true,
    customer,
    plan: (found.state === "known" ? found.plan : null) ?? settings.incompleteDirectoryPlan,
    ip: address,
    ipClient: ipClientId(address, settings.ipv6PrefixLength),
  };
}

/** The first that is known; without one the first that nobody can decide yet. */
function findClient({ headers, settings, lookUpKey, lookUpClient }: Input): {
  found: Found | null;
  unknown: CredentialSource | null;
} {
  const { keyHeaders, trustedHeader } = settings.identity;
  let undecided: Found | null = null;
  let unknown: CredentialSource | null = null;
  const named = trustedHeader === null ? "" : (headerOf(headers, trustedHeader)?.trim() ?? "");
  if (named !== "") {
    const client = namedClient(named);
    const found = client === null ? UNKNOWN : lookUpClient(client);
    if (found.state === "known") return { found, unknown: null };
    if (found.state === "undecided") undecided = found;
    else unknown = "trusted-header";
  }
  let last = "";
  for (const name of keyHeaders) {
    const key = keyIn(name, headerOf(headers, name));
    // The same key twice is one credential, and is hashed once.
    if (key === "" || key === last) continue;
    last = key;
    const found = lookUpKey(key);
    if (found.state === "known") return { found, unknown: null };
    if (found.state === "undecided") undecided ??= found;
    else unknown ??= "key";
  }
  return { found: undecided, unknown };
}

const UNKNOWN: PresentedKey = { state: "unknown" };
const BEARER = /^bearer[ \t]+(\S.*)$/i;

/** Empty: there is none. */
function keyIn(name: string, value: string | undefined): string {
  if (value === undefined) return "";
  const text = value.trim();
  if (name !== "authorization") return text;
  return BEARER.exec(text)?.[1] ?? "";
}
