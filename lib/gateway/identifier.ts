import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Agent } from "@/lib/agent/agent";
import type { Clock } from "@/lib/clock";
import { type ClientId, ClientIdSchema } from "@/lib/core/client-id";
import type { Identity } from "@/lib/core/identity";
import { type IpAddress, ipClientId } from "@/lib/core/ip";
import { fieldErrors, slug } from "@/lib/core/parse";
import { PlanIdSchema } from "@/lib/core/plan";
import type { Settings } from "@/lib/core/ruleset";
import type { Log } from "@/lib/log";
import { type Identified, identify } from "./identify";
import type { Metrics } from "./metrics";

/** Who an embedder says sent a request. Without customer or plan, the directory's. */
export type ClientClaim = { client: string; customer?: string; plan?: string };

/**
 * An embedder's own way to say who sent a request; null: headers and address say it. It must not read the body.
 * What throws, rejects, takes too long or is no claim counts as null.
 */
export type IdentifyClient = (
  request: IncomingMessage,
) => ClientClaim | null | undefined | Promise<ClientClaim | null | undefined>;

type Deps = {
  identifyClient: IdentifyClient | undefined;
  timeoutMs: number;
  agent: Pick<Agent, "lookUpKey" | "lookUpClient">;
  metrics: Pick<Metrics, "identity">;
  clock: Clock;
  log: Log;
};

type Identifier = (
  request: IncomingMessage,
  address: IpAddress,
  settings: Settings,
) => Identified | Promise<Identified>;

const LOGGED_EVERY_MS = 60_000;

export function createIdentifier(deps: Deps): Identifier {
  const { identifyClient, timeoutMs, agent, metrics, clock, log } = deps;
  const { lookUpKey, lookUpClient } = agent;
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  const byHeaders = ({ headers }: IncomingMessage, address: IpAddress, settings: Settings) =>
    identify({ headers, address, settings, lookUpKey, lookUpClient });
  if (identifyClient === undefined) return byHeaders;

  function failed(reason: keyof Metrics["identity"]["failures"], error: unknown): void {
    metrics.identity.failures[reason] += 1;
    const nowMs = clock.monotonicMs();
    if (nowMs - loggedAtMs < LOGGED_EVERY_MS) return;
    loggedAtMs = nowMs;
    log.warn({ reason, error }, "identify failed: headers and address name the client");
  }

  return (request, address, settings) => {
    const settle = (claimed: unknown): Identified => {
      if (claimed === null || claimed === undefined) return byHeaders(request, address, settings);
      const parsed = ClaimSchema.safeParse(claimed);
      if (!parsed.success) {
        failed(
          "invalid",
          fieldErrors(parsed.error)
            .map(({ message }) => message)
            .join("; "),
        );
        return byHeaders(request, address, settings);
      }
      const identity = claimedIdentity(parsed.data, { lookUpClient, address, settings });
      return { identity, unknown: null };
    };
    try {
      const claimed: unknown = identifyClient(request);
      if (!isThenable(claimed)) return settle(claimed);
      return within(timeoutMs, Promise.resolve(claimed)).then(settle, (error: unknown) => {
        failed(error instanceof TooLate ? "timeout" : "error", error);
        return settle(null);
      });
    } catch (error) {
      failed("error", error);
      return settle(null);
    }
  };
}

const ClaimSchema = z.object({
  client: ClientIdSchema.refine((client) => !client.startsWith("ip:"), {
    error: "client must be key:<id> or customer:<id>: null lets the address name it",
  }),
  customer: slug("customer").nullish(),
  plan: PlanIdSchema.nullish(),
});

function claimedIdentity(
  { client, customer: claimed, plan }: z.output<typeof ClaimSchema>,
  {
    lookUpClient,
    address,
    settings,
  }: Pick<Agent, "lookUpClient"> & {
    address: IpAddress;
    settings: Settings;
  },
): Identity {
  const customer = claimed ?? ownerOf(client, lookUpClient);
  const owner = lookUpClient(`customer:${customer}`);
  return {
    client,
    authenticated: true,
    customer,
    plan: plan ?? (owner.state === "known" ? owner.plan : null) ?? settings.incompleteDirectoryPlan,
    ip: address,
    ipClient: ipClientId(address, settings.ipv6PrefixLength),
  };
}

/** Whom the directory does not know is its own customer. */
function ownerOf(client: ClientId, lookUpClient: Agent["lookUpClient"]): string {
  const found = lookUpClient(client);
  return found.state === "unknown" ? client.slice(client.indexOf(":") + 1) : found.customer;
}

/** A promise of any library. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

class TooLate extends Error {}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TooLate(`no answer within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
