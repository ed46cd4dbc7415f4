import type { Clock } from "@/lib/clock";

export type Deadlined = { deadlineMs: number; isSettled: boolean };

export type DeadlineQueue<T extends Deadlined> = {
  push(item: T): void;
  /** Takes out everything that is not settled. */
  drain(): T[];
};

/** Settled items are dropped in bulk once there are this many. */
const COMPACT_AT = 1024;

/**
 * One timer for all pending checks, which have the same deadline and so fall due in order. When it fires, sockets
 * are read once more (setImmediate) before an item counts as overdue: after a blocked event loop the answers are
 * there, they were only not looked at.
 */
export function createDeadlineQueue<T extends Deadlined>({
  clock,
  onOverdue,
}: {
  clock: Clock;
  onOverdue: (item: T) => void;
}): DeadlineQueue<T> {
  let items: T[] = [];
  let head = 0;
  let isArmed = false;

  function arm(): void {
    while (head < items.length && items[head]?.isSettled === true) head += 1;
    if (head >= COMPACT_AT || head === items.length) {
      items = items.slice(head);
      head = 0;
    }
    const next = items[head];
    isArmed = next !== undefined;
    if (next === undefined) return;
    setTimeout(look, Math.max(1, Math.ceil(next.deadlineMs - clock.monotonicMs())));
  }

  function look(): void {
    setImmediate(expire, clock.monotonicMs());
  }

  /** What fell due after `lookedMs` has not had its second look yet. */
  function expire(lookedMs: number): void {
    for (; head < items.length; head += 1) {
      const item = items[head];
      if (item === undefined || item.isSettled) continue;
      if (item.deadlineMs > lookedMs) break;
      onOverdue(item);
    }
    arm();
  }

  return {
    push(item) {
      items.push(item);
      if (!isArmed) arm();
    },
    drain() {
      const left = items.slice(head).filter((item) => !item.isSettled);
      items = [];
      head = 0;
      return left;
    },
  };
}
