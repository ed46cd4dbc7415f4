import type { Clock } from "@/lib/clock";

/** Fifty looks a second: short against any delay that a rule may allow, and next to no work. */
const INTERVAL_MS = 20;

/**
 * Tells again and again how late the event loop was since the last time. A timer of our own: the histogram of
 * node:perf_hooks would need one too, to be read, and weighs a block of a second as one sample among many.
 */
export function watchLoopDelay(
  clock: Clock,
  onDelay: (elapsedMs: number, lateMs: number) => void,
): { close(): void } {
  let ranMs = clock.monotonicMs();
  const timer = setInterval(() => {
    const nowMs = clock.monotonicMs();
    const elapsedMs = nowMs - ranMs;
    ranMs = nowMs;
    onDelay(elapsedMs, Math.max(0, elapsedMs - INTERVAL_MS));
  }, INTERVAL_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
