import { failure } from "./check-batch";
import { createFallback } from "./fallback";
import type { Shard, ShardOptions } from "./shard";

/** Stands for the primary of slots that nobody is known to own. */
export type AbsentShard = Shard & {
  /** Why there are such slots; null: there are none, and its local counts are forgotten. */
  setError(error: string | null): void;
};

export function createAbsentShard({
  clock,
  fleetSize,
  counters,
  onModeChange,
}: ShardOptions): AbsentShard {
  const name = "cluster";
  const fallback = createFallback({ clock, fleetSize });
  let error: string | null = null;
  let sinceMs = clock.nowMs();
  let localDecisions = 0;

  function decideLocally(...[rules, leaseId]: Parameters<Shard["decideLocally"]>) {
    counters.localDecisions += 1;
    localDecisions += 1;
    return fallback.decide(rules, leaseId);
  }

  return {
    name,
    ask: async () => failure("disconnected", error ?? "nobody is known to own the slot"),
    decide: async (rules, leaseId) => decideLocally(rules, leaseId),
    decideLocally,
    refundLocally: (rules) => fallback.refund(rules),
    leases: {
      hold: (lease) => {
        fallback.hold(lease);
        return () => fallback.release(lease);
      },
      release: async (ended) => {
        for (const lease of ended) fallback.release(lease);
        return [];
      },
      renew: async () => [],
    },
    status: () => ({
      name,
      mode: error === null ? "shared" : "local",
      sinceMs,
      error,
      breaker: error === null ? "closed" : "open",
      localDecisions,
    }),
    nowUs: () => undefined,
    close: () => {},
    setError: (next) => {
      const isChange = (next === null) !== (error === null);
      error = next;
      if (!isChange) return;
      sinceMs = clock.nowMs();
      if (next === null) fallback.forgetAll();
      onModeChange();
    },
  };
}
