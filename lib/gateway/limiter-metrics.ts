import { Counter, Gauge, type Registry } from "prom-client";
import type { Limiter } from "@/lib/limiter";

type Source = Pick<Limiter, "counters" | "memory" | "status" | "inFlight">;
type Shard = ReturnType<Source["status"]>["shards"][number];

/** What the limiter did, and of which Redis. There are as many shards as servers, so the label stays small. */
export function addLimiterSeries(registry: Registry, limiter: Source): void {
  const { counters, status } = limiter;
  const registers = [registry];
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const byShard = (name: string, help: string, read: (shard: Shard) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["shard"],
      registers,
      collect() {
        // A cluster's primaries come and go.
        this.reset();
        for (const shard of status().shards) this.set({ shard: shard.name }, read(shard));
      },
    });

  counter("headgate_checks_total", "Checks of at least one rule.", () => counters.checks);
  counter(
    "headgate_local_decisions_total",
    "Decisions by this gateway's own share, as a Redis did not: one a check, or one for each shard it needed.",
    () => counters.localDecisions,
  );
  counter(
    "headgate_late_answers_total",
    "Checks answered after the deadline.",
    () => counters.late,
  );
  counter(
    "headgate_breaker_opens_total",
    "Times that a Redis was given up.",
    () => counters.breakerOpens,
  );
  counter(
    "headgate_redis_resets_total",
    "Connections to Redis given up as stuck.",
    () => counters.connectionResets,
  );
  counter(
    "headgate_refunds_total",
    "Buckets that got back what they gave, as a rule on another shard refused.",
    () => counters.refunds,
  );
  counter(
    "headgate_refunds_lost_total",
    "Buckets that perhaps did not: there the next refill makes up for it.",
    () => counters.lostRefunds,
  );
  counter(
    "headgate_cross_slot_total",
    "Calls that a cluster refused as naming several slots: a fault of this program.",
    () => counters.crossSlot,
  );
  new Counter({
    name: "headgate_check_failures_total",
    help: "Checks that Redis did not decide.",
    labelNames: ["reason"],
    registers,
    collect() {
      this.reset();
      this.inc({ reason: "timeout" }, counters.timeouts);
      this.inc({ reason: "expired" }, counters.expired);
      this.inc({ reason: "disconnected" }, counters.disconnected);
      this.inc({ reason: "error" }, counters.errors);
    },
  });
  new Gauge({
    name: "headgate_in_flight",
    help: "Slots of concurrency rules that requests at this gateway hold.",
    registers,
    collect() {
      this.set(limiter.inFlight);
    },
  });
  addMemorySeries(registry, limiter.memory);
  byShard("headgate_shard_local", "1 while this gateway decides alone for a shard.", ({ mode }) =>
    mode === "local" ? 1 : 0,
  );
  byShard("headgate_breaker_open", "1 while a shard's Redis is not asked.", ({ breaker }) =>
    breaker === "open" ? 1 : 0,
  );
}

/** What was decided without asking Redis, and by how much that was off. */
function addMemorySeries(registry: Registry, memory: Source["memory"]): void {
  const registers = [registry];
  const counter = (
    name: string,
    help: string,
    label: string,
    read: () => readonly (readonly [string, number])[],
  ) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });
  counter(
    "headgate_memory_decisions_total",
    "Checks decided from memory by what Redis had said: refused as known to be empty, leased, approximate.",
    "kind",
    () => Object.entries(memory.decisions),
  );
  counter(
    "headgate_lease_tokens_total",
    "Tokens taken on leases, spent of them, and expired unspent.",
    "state",
    () => [
      ["taken", memory.leasedTokens],
      ["spent", memory.spentTokens],
      ["expired", memory.expiredTokens],
    ],
  );
  counter(
    "headgate_memory_calls_total",
    "Calls to Redis that no request waited for: leases fetched ahead, counts told, counts told in vain.",
    "kind",
    () => [
      ["prefetch", memory.prefetches],
      ["sync", memory.syncs],
      ["failed-sync", memory.failedSyncs],
    ],
  );
  const byRule = (name: string, help: string, field: "counted" | "overshoot" | "bound") =>
    counter(name, help, "rule", () =>
      [...memory.overshoot].map(([rule, tokens]) => [rule, tokens[field]] as const),
    );
  byRule(
    "headgate_approximate_tokens_total",
    "Tokens of approximate rules that this gateway counted and told Redis.",
    "counted",
  );
  byRule(
    "headgate_overshoot_tokens_total",
    "Of these, tokens that were not there any more: this gateway's part in what passed beyond a limit.",
    "overshoot",
  );
  byRule(
    "headgate_overshoot_bound_tokens_total",
    "What passed beyond a limit at most, if every gateway counted as much between two syncs as this one.",
    "bound",
  );
}
