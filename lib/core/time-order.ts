type Item<T> = { value: T; order: number };

/** A heap by time; of equal times the one added first comes first. */
export class TimeOrder<T extends { atMs: number }> {
  #items: Item<T>[] = [];
  #added = 0;

  get size(): number {
    return this.#items.length;
  }

  add(value: T): void {
    const items = this.#items;
    const item = { value, order: this.#added };
    this.#added += 1;
    let at = items.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt];
      if (parent === undefined || !isBefore(item, parent)) break;
      items[at] = parent;
      at = parentAt;
    }
    items[at] = item;
  }

  take(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined) return undefined;
    if (items.length > 0) this.#sink(last);
    return first.value;
  }

  #sink(item: Item<T>): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const left = items[2 * at + 1];
      const right = items[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !isBefore(child, item)) break;
      items[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    items[at] = item;
  }
}

function isBefore<T extends { atMs: number }>(a: Item<T>, b: Item<T>): boolean {
  return a.value.atMs < b.value.atMs || (a.value.atMs === b.value.atMs && a.order < b.order);
}
