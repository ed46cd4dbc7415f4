import type { ClientId } from "./client-id";
import { type CountedMode, type Lane, OTHER_ROUTE } from "./counts";
import type { Identity } from "./identity";
import { parseIp } from "./ip";
import type { Amount } from "./limit";
import type { OverrideSubject } from "./override-subject";
import type { Body, RuleEntry } from "./ruleset";
import type { CompiledRule, RequestFacts } from "./ruleset-index";
import { compileShare } from "./share";

/** A client as the directory and the live version have it, without a request at hand. */
export type KnownClient = {
  client: ClientId;
  /** Of a key, whose it is; of a customer, itself; null for an address. */
  customer: string | null;
  plan: string;
};

/** One that is in force for the client, its customer or its address. */
export type ClientOverride = { client: ClientId; rule: string; limit: Amount };

/** What the client meets of one rule: as gateways do, its share of the clients decides. */
export function lanesOf(entry: RuleEntry, { client, plan }: KnownClient): CompiledRule[] {
  const { id, live } = entry;
  const candidate = entry.candidate?.rule.mode === "off" ? undefined : entry.candidate;
  const isChosen = candidate !== undefined && compileShare(entry)(client, plan);
  const lane = (of: NonNullable<RuleEntry["live"]>, name: Lane, mode: CountedMode) => ({
    id,
    revision: of.revision,
    slot: of.slot,
    mode,
    lane: name,
    hasCandidate: candidate !== undefined,
    rule: of.rule,
  });
  if (candidate !== undefined && isChosen) return [lane(candidate, "candidate", "enforce")];
  return [
    ...(live === undefined || live.rule.mode === "off" ? [] : [lane(live, "live", live.rule.mode)]),
    ...(candidate === undefined ? [] : [lane(candidate, "candidate", "shadow")]),
  ];
}

/** What any request of the client brings, with a route; what it does not say is absent. */
export function factsOfClient(
  known: KnownClient,
  overrides: readonly ClientOverride[],
  route: string,
): RequestFacts {
  const { client, customer } = known;
  return {
    method: "GET",
    path: "/",
    route,
    header: () => undefined,
    identity: identityOf(known),
    override: (rule, subject) => {
      const of = subjectId({ client, customer }, subject);
      return overrides.find((each) => each.rule === rule && each.client === of)?.limit ?? null;
    },
  };
}

function subjectId(
  { client, customer }: Pick<KnownClient, "client" | "customer">,
  subject: OverrideSubject,
): string | null {
  if (subject === "customer") return customer === null ? null : `customer:${customer}`;
  return client.startsWith(`${subject}:`) ? client : null;
}

/** The address of a key's requests is not known: nothing may be asked of it. */
export function identityOf({ client, customer, plan }: KnownClient): Identity {
  const address = client.startsWith("ip:") ? client.slice("ip:".length) : UNKNOWN_ADDRESS;
  const ipClient = client.startsWith("ip:") ? (client as `ip:${string}`) : UNKNOWN_CLIENT;
  const ip = parseIp(address.split("/")[0] ?? "");
  if (ip === null) throw new RangeError(`${client} has no address`);
  return { client, authenticated: customer !== null, customer, plan, ip, ipClient };
}

const UNKNOWN_ADDRESS = "0.0.0.0";
const UNKNOWN_CLIENT = `ip:${UNKNOWN_ADDRESS}` as const;

/** Every template that names a route, and what has none. */
export function routeNames({ routes }: Pick<Body, "routes">): string[] {
  return [...routes, OTHER_ROUTE];
}
