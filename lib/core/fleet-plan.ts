import type { ShedderLimit } from "./limit";
import { type PriorityRates, SHEDDABLE, type ShedShares } from "./priority";
import type { Priority } from "./rule";

export type FleetLimit = Extract<ShedderLimit, { kind: "fleet" }>;

/** Demand is measured, and told to the other gateways, this often. */
export const DEMAND_INTERVAL_US = 1_000_000;

/**
 * A class that fits is planned for this much above its measured demand, so that chance does not refuse it at one
 * gateway while another admits what matters less. Unused, it costs at most this share of the allowed rate.
 */
const MARGIN = 0.04;

export type FleetPlan = {
  /** Of the whole fleet, for all that is not critical: requests a second. */
  allowed: number;
  /** This gateway's part of it. Those of all gateways add up to `allowed`. */
  allotment: number;
  /** Of the fleet's demand. */
  shed: ShedShares;
};

/**
 * Divides what the fleet may take. Classes are served in order, each gateway by its part of the class's demand; what
 * no class asks for is divided equally, for traffic that nobody foresaw. `all` is every gateway's demand, the own
 * among them.
 */
export function planFleet(
  { capacity, reserve }: Pick<FleetLimit, "capacity" | "reserve">,
  own: PriorityRates,
  all: readonly PriorityRates[],
): FleetPlan {
  const allowed = Math.max(
    0,
    Math.min((capacity * (100 - reserve)) / 100, capacity - totalOf(all, "critical")),
  );
  const shed = { normal: 0, sheddable: 0, test: 0 };
  let left = allowed;
  let allotment = 0;
  for (const priority of SHEDDABLE) {
    const total = totalOf(all, priority);
    if (total <= 0) continue;
    const given = Math.min(total * (1 + MARGIN), left);
    allotment += (given * own[priority]) / total;
    shed[priority] = Math.max(0, 1 - given / total);
    left -= given;
  }
  return { allowed, allotment: allotment + left / Math.max(1, all.length), shed };
}

function totalOf(all: readonly PriorityRates[], priority: Priority): number {
  let total = 0;
  for (const rates of all) total += rates[priority];
  return total;
}
