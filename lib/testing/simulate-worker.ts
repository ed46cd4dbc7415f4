import { NO_DEMAND, type PriorityRates } from "../core/priority";
import { PRIORITIES, type Priority } from "../core/rule";
import { createWorkerShedder, type WorkerLimit, type WorkerStatus } from "../core/shedder-worker";
import { poisson, seeded } from "./random";

type Input = {
  limit: WorkerLimit;
  seconds: number;
  /** Requests a second that arrive in that second. */
  arrivals(second: number): Partial<PriorityRates>;
  /** Of the processor's time: a request that is admitted (at a mean, it varies), and one that is shed. */
  costMs: number;
  shedCostMs: number;
  /** The loop stands still for so long at the start of that second. */
  blockMs?(second: number): number;
  intervalMs?: number;
  seed?: number;
};

type Tally = Record<Priority, number>;
export type WorkerSecond = { offered: Tally; admitted: Tally; status: WorkerStatus; peak: number };

/** One process: each turn of its loop runs the timer if it is due, then everything that arrived since the last turn. */
export function simulateWorker(input: Input): WorkerSecond[] {
  const { limit, seconds, costMs, shedCostMs, intervalMs = 20 } = input;
  const random = seeded(input.seed ?? 1);
  const shedder = createWorkerShedder(limit);
  const timeline: WorkerSecond[] = [];
  let queue: Priority[] = [];
  let nowMs = 0;
  let arrivedMs = 0;
  let ranMs = 0;

  const secondAt = (ms: number): WorkerSecond => {
    const second = Math.min(seconds - 1, Math.floor(ms / 1000));
    while (timeline.length <= second) {
      nowMs += input.blockMs?.(timeline.length) ?? 0;
      const status = shedder.status();
      timeline.push({ offered: { ...NO_DEMAND }, admitted: { ...NO_DEMAND }, status, peak: 0 });
    }
    const found = timeline[second];
    if (found === undefined) throw new Error(`second ${second} of ${seconds} is missing`);
    return found;
  };

  const arriveUntil = (untilMs: number) => {
    for (; arrivedMs < untilMs; arrivedMs += 1) {
      const second = secondAt(arrivedMs);
      const rates = input.arrivals(Math.floor(arrivedMs / 1000));
      for (const priority of PRIORITIES) {
        const count = poisson((rates[priority] ?? 0) / 1000, random);
        second.offered[priority] += count;
        for (let i = 0; i < count; i += 1) queue.push(priority);
      }
    }
  };

  while (nowMs < seconds * 1000) {
    if (nowMs - ranMs >= intervalMs) {
      shedder.observe(nowMs - ranMs, nowMs - ranMs - intervalMs);
      ranMs = nowMs;
      const second = secondAt(nowMs);
      second.status = shedder.status();
      second.peak = Math.max(second.peak, second.status.delayMs);
    }
    arriveUntil(nowMs);
    const turn = queue;
    queue = [];
    if (turn.length === 0) nowMs += 1;
    for (const priority of turn) {
      const isShed = shedder.sheds(priority, random());
      if (!isShed) secondAt(nowMs).admitted[priority] += 1;
      nowMs += isShed ? shedCostMs : -costMs * Math.log(1 - random());
    }
  }
  return timeline;
}
