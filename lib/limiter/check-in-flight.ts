import { randomBytes } from "node:crypto";
import type { Clock } from "@/lib/clock";
import type { LimiterDecision } from "./fallback";
import { createInFlight, type LeaseHolder } from "./in-flight";
import { type Lease, leasesOf } from "./lease";
import type { Router } from "./router";
import type { ShardLeases } from "./shard";
import type { LimiterRule } from "./state-key";

type Decide = (rules: readonly LimiterRule[], leaseId: string) => Promise<LimiterDecision>;

export type InFlightChecks = {
  /** Its decision has a `flight`, to be ended with the request; of a refused one nothing stays held. */
  check(rules: readonly LimiterRule[]): Promise<LimiterDecision>;
  readonly size: number;
  close(): void;
};

/** Checks of requests that some concurrency rule counts while they run. */
export function createInFlightChecks({
  router,
  clock,
  decide,
}: {
  router: Router;
  clock: Clock;
  decide: Decide;
}): InFlightChecks {
  // Unique among gateways and starts, short as it is kept for each request.
  const boot = randomBytes(6).toString("base64url");
  let count = 0;
  const holder = routedHolder(router);
  const inFlight = createInFlight({ clock, holder });

  /** Of shadow rules that were charged after the answer. */
  async function chargedLater(
    { later, perRule }: LimiterDecision,
    rules: readonly LimiterRule[],
    leaseId: string,
  ): Promise<Lease[]> {
    const last = await later;
    const added = rules.filter(
      (_, index) => last?.perRule[index]?.charged === true && perRule[index]?.charged !== true,
    );
    return leasesOf(added, leaseId);
  }

  return {
    async check(rules) {
      count += 1;
      const leaseId = `${boot}${count.toString(36)}`;
      const decision = await decide(rules, leaseId);
      const isCharged = (index: number) => decision.perRule[index]?.charged === true;
      const charged = leasesOf(
        rules.filter((_, index) => isCharged(index)),
        leaseId,
      );
      // Redis may have granted what came back too late to count.
      const others = leasesOf(
        rules.filter((_, index) => !isCharged(index)),
        leaseId,
      );
      if (decision.source === "local" && others.length > 0) holder.release(others);
      if (decision.verdict === "refused") {
        // A candidate may have let it pass.
        if (charged.length > 0) holder.release(charged);
        if (decision.later !== undefined)
          void chargedLater(decision, rules, leaseId).then(holder.release);
        return decision;
      }
      const flight = inFlight.begin(charged);
      if (decision.later !== undefined)
        void chargedLater(decision, rules, leaseId).then(flight.add);
      return { ...decision, flight };
    },
    get size() {
      return inFlight.size;
    },
    close: inFlight.close,
  };
}

/** After each of them, leases that a cluster's node sent elsewhere are tried there; later they end by themselves. */
const RETRY_MS = [50, 250, 1_000];

function routedHolder({ placeOf, memberAt }: Router): LeaseHolder {
  function toEach(leases: readonly Lease[], act: "release" | "renew", tries = 0): void {
    const byHolder = new Map<ShardLeases, Lease[]>();
    for (const lease of leases) {
      const holder = memberAt(placeOf(lease.key)).leases;
      const all = byHolder.get(holder);
      if (all === undefined) byHolder.set(holder, [lease]);
      else all.push(lease);
    }
    for (const [holder, all] of byHolder)
      void holder[act](all).then((elsewhere) => again(elsewhere, act, tries));
  }

  function again(elsewhere: readonly Lease[], act: "release" | "renew", tries: number): void {
    const delayMs = RETRY_MS[tries];
    if (elsewhere.length === 0 || delayMs === undefined) return;
    setTimeout(() => toEach(elsewhere, act, tries + 1), delayMs).unref();
  }

  return {
    hold: (lease) => memberAt(placeOf(lease.key)).leases.hold(lease),
    release: (leases) => toEach(leases, "release"),
    renew: (leases) => toEach(leases, "renew"),
  };
}
