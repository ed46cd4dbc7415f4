import type { Clock } from "@/lib/clock";
import type { Lease } from "./lease";

/** A lease is renewed when this part of it is over, so that two renewals may be lost. */
const RENEW_AFTER = 1 / 3;
const TICK_MS = 100;

/** Where leases lie. None may throw; what is lost ends by itself. */
export type LeaseHolder = {
  /** Counts it among this gateway's own requests in flight, for when Redis is away, until what it returns is called. */
  hold(lease: Lease): () => void;
  release(leases: readonly Lease[]): void;
  renew(leases: readonly Lease[]): void;
};

/** One request's leases. */
export type Flight = {
  /** Charged to the request, perhaps after it ended. */
  add(leases: readonly Lease[]): void;
  /** When the request is over, however; once is enough, twice changes nothing. */
  end(): void;
};

export type InFlight = {
  begin(leases: readonly Lease[]): Flight;
  /** Leases held. */
  readonly size: number;
  /** Renews nothing more; what is held ends with its lease unless it is ended before. */
  close(): void;
};

type Held = { lease: Lease; dueMs: number; letGo: () => void };

/** Keeps the leases of requests in flight alive and ends them; releases of one turn of the event loop go together. */
export function createInFlight({ clock, holder }: { clock: Clock; holder: LeaseHolder }): InFlight {
  /** By their length, so that each set is in the order in which its leases fall due. */
  const byLength = new Map<number, Set<Held>>();
  let ended: Lease[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function keep(held: Held): void {
    const { leaseSeconds } = held.lease;
    const all = byLength.get(leaseSeconds) ?? new Set();
    byLength.set(leaseSeconds, all);
    held.dueMs = clock.monotonicMs() + leaseSeconds * 1000 * RENEW_AFTER;
    all.add(held);
  }

  function renewDue(): void {
    const nowMs = clock.monotonicMs();
    const due: Lease[] = [];
    for (const all of byLength.values()) {
      for (const held of all) {
        if (held.dueMs > nowMs) break;
        all.delete(held);
        keep(held);
        due.push(held.lease);
      }
    }
    if (due.length > 0) holder.renew(due);
  }

  function start(): void {
    if (timer !== undefined || isClosed) return;
    timer = setInterval(renewDue, TICK_MS);
    timer.unref();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function drop(held: Held): void {
    byLength.get(held.lease.leaseSeconds)?.delete(held);
    held.letGo();
    size -= 1;
    if (size === 0) stop();
  }

  function release(lease: Lease): void {
    ended.push(lease);
    if (ended.length === 1) setImmediate(flush);
  }

  function flush(): void {
    const leases = ended;
    ended = [];
    if (leases.length > 0) holder.release(leases);
  }

  return {
    begin(first) {
      let held: Held[] = [];
      let isOver = false;
      const add = (leases: readonly Lease[]) => {
        for (const lease of leases) {
          if (isOver) {
            release(lease);
            continue;
          }
          const one = { lease, dueMs: 0, letGo: holder.hold(lease) };
          held.push(one);
          size += 1;
          keep(one);
        }
        if (size > 0) start();
      };
      add(first);
      return {
        add,
        end() {
          isOver = true;
          const over = held;
          held = [];
          for (const one of over) {
            drop(one);
            release(one.lease);
          }
        },
      };
    },
    get size() {
      return size;
    },
    close() {
      isClosed = true;
      stop();
      flush();
    },
  };
}

/** The flight of a decision that is still to come: it ends when its request is over, be that before or after. */
export function flightOf(decision: Promise<{ flight?: Flight }>): Flight {
  const flight = decision.then(
    (known) => known.flight,
    () => undefined,
  );
  return {
    add: (leases) => void flight.then((known) => known?.add(leases)),
    end: () => void flight.then((known) => known?.end()),
  };
}
