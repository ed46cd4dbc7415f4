import type { Clock } from "@/lib/clock";
import { type CheckRequest, type CheckResult, expiryOf } from "@/lib/core/check";
import { decide } from "@/lib/core/decide";
import { MICRO } from "@/lib/core/micro";
import type { StateRecord } from "@/lib/core/record";
import { createSweep } from "@/lib/core/sweep";
import type { Lease } from "./lease";
import type { Store } from "./store";

/** About 500 bytes each: at most 50 MB for a gateway on its own. */
const MAX_KEYS = 100_000;

export type MemoryStore = Store & {
  /** `check` without the promise. */
  checkNow(request: CheckRequest): CheckResult;
  /** Every bucket is full again; requests in flight stay in flight. */
  forgetAll(): void;
  /** Notes a request in flight, whoever allowed it, until it is released. */
  hold(lease: Lease): void;
  release(lease: Lease): void;
  /** Keys held, some of them perhaps full again. */
  readonly size: number;
};

/** So far ahead that no lease ends by itself here: this process knows when its requests end. */
const UNTIL_RELEASED_US = 4_294_967_295 * MICRO;

/**
 * Buckets of this process, on a monotonic clock. Full buckets are forgotten a few at each check, without a
 * timer; at `maxKeys` the key that was first seen longest ago goes, and starts full when it comes again.
 */
export function createMemoryStore({
  clock,
  nowUs: nowUsOf = () => Math.round(clock.monotonicMs() * 1000),
  maxKeys = MAX_KEYS,
  states = new Map(),
}: {
  clock: Clock;
  /** Unix µs that never step back, where windows of a calendar are counted. */
  nowUs?: () => number;
  maxKeys?: number;
  /** Given by who wants to look inside. */
  states?: Map<string, StateRecord[]>;
}): MemoryStore {
  const forgetSome = createSweep(states);
  const inFlight = new Map<string, Map<string, number>>();
  let isClosed = false;

  function write(key: string, records: StateRecord[]): void {
    if (records.length === 0) {
      states.delete(key);
      return;
    }
    if (states.size >= maxKeys && !states.has(key)) {
      const oldest = states.keys().next();
      if (oldest.done !== true) states.delete(oldest.value);
    }
    states.set(key, records);
    const [record] = records;
    if (record?.kind === "concurrency") keepInFlight(key, record);
  }

  /** Its map is shared with the record, so that a release need not copy it. */
  function keepInFlight(key: string, record: Extract<StateRecord, { kind: "concurrency" }>): void {
    const leases = new Map(record.leases);
    inFlight.set(key, leases);
    states.set(key, [{ ...record, leases }]);
  }

  function checkNow(request: CheckRequest): CheckResult {
    const { rules, leaseId } = request;
    const expiryUs = expiryOf(request);
    const nowUs = nowUsOf();
    if (isClosed)
      return { verdict: "unavailable", reason: "disconnected", message: "the store is closed" };
    if (expiryUs !== undefined && nowUs > expiryUs) {
      const message = `the check came ${nowUs - expiryUs} µs after its expiry`;
      return { verdict: "unavailable", reason: "expired", message, nowUs };
    }
    forgetSome(nowUs);
    const { decision, writes } = decide({
      rules,
      records: states,
      nowUs,
      source: "local",
      leaseId,
    });
    for (const { key, records } of writes) write(key, records);
    return decision;
  }

  return {
    checkNow,
    check: async (request) => checkNow(request),
    forgetAll: () => {
      for (const [key, records] of states)
        if (records[0]?.kind !== "concurrency") states.delete(key);
    },
    hold: ({ key, slot, leaseId }) => {
      const leases = inFlight.get(key) ?? new Map<string, number>();
      leases.set(leaseId, UNTIL_RELEASED_US);
      inFlight.set(key, leases);
      const fullAt = UNTIL_RELEASED_US / MICRO;
      states.set(key, [{ kind: "concurrency", slot, fullAt, leases }]);
    },
    release: ({ key, leaseId }) => {
      const leases = inFlight.get(key);
      if (leases?.delete(leaseId) !== true || leases.size > 0) return;
      inFlight.delete(key);
      states.delete(key);
    },
    get size() {
      return states.size;
    },
    close: async () => {
      isClosed = true;
      states.clear();
      inFlight.clear();
    },
  };
}
