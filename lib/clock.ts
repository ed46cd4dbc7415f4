export type Clock = {
  /** Unix time in ms. May jump, also backwards: for people and for other machines, never for intervals. */
  nowMs(): number;
  /** Only rises, from an arbitrary start, in ms with fractions: for deadlines, local buckets, ages. */
  monotonicMs(): number;
};

export class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }
}

/** A clock for tests: stands still until told. */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;

  constructor(wallMs = Date.UTC(2026, 0, 1)) {
    this.#wallMs = wallMs;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Time passes. */
  advance(ms: number): void {
    if (ms < 0)
      throw new Error(
        `advance takes 0 or more, got ${ms}: use stepWall to move the wall clock back`,
      );
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Somebody sets the wall clock: the monotonic one does not notice. */
  stepWall(ms: number): void {
    this.#wallMs += ms;
  }
}
