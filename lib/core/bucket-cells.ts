import type { BucketState } from "./bucket";
import { isCurrent } from "./decide";

const FIRST_CAPACITY = 1_024;
/** Level, time, previous, fullAt. */
const WIDTH = 4;

/**
 * Buckets of the kinds that come in with time, without leases, side by side: each as it was when it was last charged, and
 * until when that counts (`fullAt`, see `StateRecord`). A bucket is its number here.
 */
export class BucketCells {
  #values = new Float64Array(FIRST_CAPACITY * WIDTH);
  readonly #free: number[] = [];
  #size = 0;

  /** A bucket that nothing is kept of. */
  add(): number {
    const freed = this.#free.pop();
    if (freed !== undefined) return freed;
    const at = this.#size * WIDTH;
    if (at === this.#values.length) {
      const more = new Float64Array(2 * at);
      more.set(this.#values);
      this.#values = more;
    }
    this.#size += 1;
    return this.#size - 1;
  }

  /** Its number may be another bucket's from now on. */
  remove(bucket: number): void {
    this.#values.fill(0, bucket * WIDTH, (bucket + 1) * WIDTH);
    this.#free.push(bucket);
  }

  /** Puts what is kept of a bucket into `state`; false if nothing is that still counts. */
  read(bucket: number, state: BucketState, nowUs: number): boolean {
    const at = bucket * WIDTH;
    if (!isCurrent({ fullAt: this.#values[at + 3] ?? 0 }, nowUs)) return false;
    state.level = this.#values[at] ?? 0;
    state.timeUs = this.#values[at + 1] ?? 0;
    state.previous = this.#values[at + 2] ?? 0;
    state.leases = null;
    return true;
  }

  keep(bucket: number, state: BucketState, fullAt: number): void {
    const at = bucket * WIDTH;
    this.#values[at] = state.level;
    this.#values[at + 1] = state.timeUs;
    this.#values[at + 2] = state.previous;
    this.#values[at + 3] = fullAt;
  }

  isKept(bucket: number, nowUs: number): boolean {
    return isCurrent({ fullAt: this.#values[bucket * WIDTH + 3] ?? 0 }, nowUs);
  }
}
