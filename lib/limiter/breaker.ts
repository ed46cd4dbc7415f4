export type Breaker = {
  /** While open, only probes go to Redis. */
  readonly isOpen: boolean;
  /** Some failure is not yet outweighed by successes. */
  readonly isSuspect: boolean;
  succeeded(): void;
  /** True when this failure opened it. */
  failed(): boolean;
  /** Opens at once; true when it was closed. */
  open(): boolean;
  /** A probe was answered in time. */
  close(): void;
  /** How long to wait before the next probe; longer from one to the next, until closed. */
  nextProbeMs(): number;
};

/** Failures in a row, or net of successes, that open it. Lower: one slow moment cuts Redis off. */
const FAILURES = 5;
/** A success takes back this much of a failure: it opens when more than a fifth of the checks fail. */
const FORGIVEN = 0.25;
const PROBE_MS = 100;
/** Bounds how long a Redis that is back stays unused. */
const PROBE_MAX_MS = 1_000;

export function createBreaker(random: () => number = Math.random): Breaker {
  let isOpen = false;
  let failures = 0;
  let probes = 0;

  function open(): boolean {
    const wasClosed = !isOpen;
    isOpen = true;
    return wasClosed;
  }

  return {
    get isOpen() {
      return isOpen;
    },
    get isSuspect() {
      return isOpen || failures > 0;
    },
    succeeded() {
      if (failures > 0) failures = Math.max(0, failures - FORGIVEN);
    },
    failed() {
      if (isOpen) return false;
      failures += 1;
      return failures >= FAILURES && open();
    },
    open,
    close() {
      isOpen = false;
      failures = 0;
      probes = 0;
    },
    nextProbeMs() {
      const fullMs = Math.min(PROBE_MAX_MS, PROBE_MS * 2 ** probes);
      probes = Math.min(probes + 1, 10);
      // Gateways that lost Redis together must not come back together.
      return fullMs * (0.5 + random() / 2);
    },
  };
}
