import type { ShedderLimit } from "./limit";
import { SHEDDABLE, type Sheddable, type ShedShares } from "./priority";
import type { Priority } from "./rule";

export type WorkerLimit = Extract<ShedderLimit, { kind: "worker" }>;

/** One block of the event loop counts by its length against this: one slow garbage collection sheds nothing. */
const SMOOTHING_MS = 300;
/** Below this part of the greatest delay the loop is well again; between the two nothing changes. */
const CALM = 0.5;
/** Well for this long before anything comes back. */
const HOLD_MS = 1000;
/** Classes a second that are added while the delay is twice what it may be, and that come back. */
const RISE = 1.5;
const RETURN = 0.1;
/** Around what was last found too little, they come back more slowly: a swing there is a swing for clients. */
const NEAR = 0.2;
const RETURN_NEAR = 0.03;
/** Beyond this many times the greatest delay the answer does not grow. */
const EXCESS_MAX = 2;

export type WorkerStatus = {
  /** How late the event loop is, smoothed. */
  delayMs: number;
  /** 0 = nothing is shed, 1 = all test, 2 = all sheddable too, 3 = all normal too. */
  pressure: number;
  shed: ShedShares;
};

export type WorkerShedder = {
  setLimit(limit: WorkerLimit): void;
  /** A timer ran `elapsedMs` after it last did, `lateMs` later than it should have. */
  observe(elapsedMs: number, lateMs: number): void;
  /** Whether to shed a request; `chance` is any number 0..1, alike likely. Never a critical one. */
  sheds(priority: Priority, chance: number): boolean;
  /** Of a class, the part that is refused. */
  shareOf(priority: Sheddable): number;
  status(): WorkerStatus;
};

/**
 * Sheds by how late the event loop is: the more of each class, and then the next class, the longer and the further it
 * is over `maxDelayMs`. It knows no clock.
 */
export function createWorkerShedder(limit: WorkerLimit): WorkerShedder {
  let { maxDelayMs } = limit;
  let delayMs = 0;
  /** What was found to be too much, and what the present excess adds at once. */
  let held = 0;
  let excess = 0;
  let calmMs = 0;
  /** What was shed when the delay last became too long. */
  let tooLittle = 0;
  let isOver = false;

  const pressure = () => Math.min(SHEDDABLE.length, held + excess);
  /** The last class is the first to go. */
  const shareOf = (priority: Sheddable) => {
    const before = SHEDDABLE.length - 1 - SHEDDABLE.indexOf(priority);
    return Math.min(1, Math.max(0, pressure() - before));
  };

  return {
    setLimit: (next) => {
      maxDelayMs = next.maxDelayMs;
    },
    observe: (elapsedMs, lateMs) => {
      delayMs += (lateMs - delayMs) * (1 - Math.exp(-elapsedMs / SMOOTHING_MS));
      excess = Math.min(EXCESS_MAX, Math.max(0, delayMs / maxDelayMs - 1));
      const seconds = Math.min(1, elapsedMs / 1000);
      if (excess > 0) {
        if (!isOver) tooLittle = held;
        isOver = true;
        calmMs = 0;
        // While it gets better, what is shed is enough: the rest is what came in before.
        if (lateMs >= delayMs) held = Math.min(SHEDDABLE.length, held + RISE * excess * seconds);
      } else if (delayMs > CALM * maxDelayMs) {
        calmMs = 0;
      } else {
        isOver = false;
        calmMs += elapsedMs;
        const isNear = tooLittle > 0 && Math.abs(held - tooLittle) < NEAR;
        const speed = isNear ? RETURN_NEAR : RETURN;
        if (calmMs > HOLD_MS) held = Math.max(0, held - speed * seconds);
      }
    },
    sheds: (priority, chance) => priority !== "critical" && chance < shareOf(priority),
    shareOf,
    status: () => ({
      delayMs,
      pressure: pressure(),
      shed: {
        normal: shareOf("normal"),
        sheddable: shareOf("sheddable"),
        test: shareOf("test"),
      },
    }),
  };
}
