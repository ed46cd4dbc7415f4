const FIRST_CAPACITY = 64;

/**
 * Brings what was added in the order of its times, by columns, so that what waits costs no objects: what comes in
 * order queues up, only what comes late goes through a heap. Of equal times the one added first comes first.
 */
export class TimeOrder<T> {
  /** A ring, its capacity a power of two. */
  #times = new Float64Array(FIRST_CAPACITY);
  #values: (T | undefined)[] = new Array(FIRST_CAPACITY);
  #head = 0;
  #queued = 0;
  #newestMs = Number.NEGATIVE_INFINITY;
  readonly #late = new LateHeap<T>();
  #takenMs = Number.NaN;

  get size(): number {
    return this.#queued + this.#late.size;
  }

  /** The time of what was taken last. */
  get takenMs(): number {
    return this.#takenMs;
  }

  add(value: T, atMs: number): void {
    if (this.#queued > 0 && atMs < this.#newestMs) {
      this.#late.add(value, atMs);
      return;
    }
    if (this.#queued === this.#times.length) this.#grow();
    const at = (this.#head + this.#queued) & (this.#times.length - 1);
    this.#times[at] = atMs;
    this.#values[at] = value;
    this.#queued += 1;
    this.#newestMs = atMs;
  }

  /** What is late is older than something that was queued before it, so of equal times the queue comes first. */
  take(): T | undefined {
    const headMs = this.#queued === 0 ? Number.POSITIVE_INFINITY : (this.#times[this.#head] ?? 0);
    if (this.#late.size > 0 && this.#late.firstMs < headMs) {
      this.#takenMs = this.#late.firstMs;
      return this.#late.take();
    }
    if (this.#queued === 0) return undefined;
    const value = this.#values[this.#head];
    this.#values[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#times.length - 1);
    this.#queued -= 1;
    this.#takenMs = headMs;
    return value;
  }

  /** What waits, in no order. */
  *waiting(): Generator<T> {
    for (const value of this.#values) if (value !== undefined) yield value;
    yield* this.#late.waiting();
  }

  #grow(): void {
    const length = this.#times.length;
    const times = new Float64Array(2 * length);
    const values: (T | undefined)[] = new Array(2 * length);
    for (let i = 0; i < length; i += 1) {
      const at = (this.#head + i) & (length - 1);
      times[i] = this.#times[at] ?? 0;
      values[i] = this.#values[at];
    }
    this.#times = times;
    this.#values = values;
    this.#head = 0;
  }
}

/** By time, then by order of arrival. */
class LateHeap<T> {
  #times = new Float64Array(FIRST_CAPACITY);
  #orders = new Float64Array(FIRST_CAPACITY);
  #values: T[] = [];
  #added = 0;

  get size(): number {
    return this.#values.length;
  }

  get firstMs(): number {
    return this.#times[0] ?? Number.POSITIVE_INFINITY;
  }

  waiting(): Iterable<T> {
    return this.#values;
  }

  add(value: T, atMs: number): void {
    let at = this.#values.length;
    if (at === this.#times.length) this.#grow();
    this.#values.push(value);
    this.#added += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      // Of equal times the parent came first.
      if (atMs >= (this.#times[parent] ?? 0)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, { value, atMs, order: this.#added });
  }

  take(): T | undefined {
    const first = this.#values[0];
    const last = this.#values.length - 1;
    const value = this.#values.pop();
    if (value === undefined || last === 0) return first;
    const atMs = this.#times[last] ?? 0;
    const order = this.#orders[last] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#isBefore(child + 1, this.#times[child], this.#orders[child]))
        child += 1;
      if (!this.#isBefore(child, atMs, order)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, { value, atMs, order });
    return first;
  }

  #isBefore(at: number, atMs = 0, order = 0): boolean {
    const ownMs = this.#times[at] ?? 0;
    return ownMs < atMs || (ownMs === atMs && (this.#orders[at] ?? 0) < order);
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from] ?? 0;
    this.#orders[to] = this.#orders[from] ?? 0;
    this.#values[to] = this.#values[from] as T;
  }

  #put(at: number, { value, atMs, order }: { value: T; atMs: number; order: number }): void {
    this.#times[at] = atMs;
    this.#orders[at] = order;
    this.#values[at] = value;
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#times.length);
    const orders = new Float64Array(times.length);
    times.set(this.#times);
    orders.set(this.#orders);
    this.#times = times;
    this.#orders = orders;
  }
}
