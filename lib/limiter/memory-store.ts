import type { Clock } from "@/lib/clock";
import { type CheckRequest, type CheckResult, expiryOf } from "@/lib/core/check";
import { decide, isCurrent } from "@/lib/core/decide";
import type { StateRecord } from "@/lib/core/record";
import type { Store } from "./store";

/** About 500 bytes each: at most 50 MB for a gateway on its own. */
const MAX_KEYS = 100_000;
/** More than one, so that forgetting is faster than filling. */
const SWEEP_PER_CHECK = 2;

export type MemoryStore = Store & {
  /** `check` without the promise. */
  checkNow(request: CheckRequest): CheckResult;
  /** Every bucket is full again. */
  forgetAll(): void;
  /** Keys held, some of them perhaps full again. */
  readonly size: number;
};

/**
 * Buckets of this process, on the monotonic clock. Full buckets are forgotten a few at each check, without a
 * timer; at `maxKeys` the key that was first seen longest ago goes, and starts full when it comes again.
 */
export function createMemoryStore({
  clock,
  maxKeys = MAX_KEYS,
  states = new Map(),
}: {
  clock: Clock;
  maxKeys?: number;
  /** Given by who wants to look inside. */
  states?: Map<string, StateRecord[]>;
}): MemoryStore {
  let sweep = states.entries();
  let isClosed = false;

  function forgetSome(nowUs: number): void {
    for (let i = 0; i < SWEEP_PER_CHECK; i += 1) {
      const next = sweep.next();
      if (next.done === true) {
        sweep = states.entries();
        return;
      }
      const [key, records] = next.value;
      if (!records.some((record) => isCurrent(record, nowUs))) states.delete(key);
    }
  }

  function write(key: string, records: StateRecord[]): void {
    if (states.size >= maxKeys && !states.has(key)) {
      const oldest = states.keys().next();
      if (oldest.done !== true) states.delete(oldest.value);
    }
    states.set(key, records);
  }

  function checkNow(request: CheckRequest): CheckResult {
    const { rules } = request;
    const expiryUs = expiryOf(request);
    const nowUs = Math.round(clock.monotonicMs() * 1000);
    if (isClosed)
      return { verdict: "unavailable", reason: "disconnected", message: "the store is closed" };
    if (expiryUs !== undefined && nowUs > expiryUs) {
      const message = `the check came ${nowUs - expiryUs} µs after its expiry`;
      return { verdict: "unavailable", reason: "expired", message, nowUs };
    }
    forgetSome(nowUs);
    const { decision, writes } = decide({ rules, records: states, nowUs, source: "local" });
    for (const { key, records } of writes) write(key, records);
    return decision;
  }

  return {
    checkNow,
    check: async (request) => checkNow(request),
    forgetAll: () => states.clear(),
    get size() {
      return states.size;
    },
    close: async () => {
      isClosed = true;
      states.clear();
    },
  };
}
