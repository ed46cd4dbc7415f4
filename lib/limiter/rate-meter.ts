/** Length of a measurement, ms. At half, a hundred checks a second are too few to see; at twice, leases come later. */
const WINDOW_MS = 100;
/** A rate is not read from less than this. */
const SEEN_MIN_MS = 20;

/** How much one bucket is used here. No timer: it is brought up to date when it counts. */
export type RateMeter = {
  startMs: number;
  /** Since then. */
  checks: number;
  tokens: number;
  /** Tokens, as last measured. */
  perMs: number;
  isHot: boolean;
};

export function newRateMeter(nowMs: number): RateMeter {
  return { startMs: nowMs, checks: 0, tokens: 0, perMs: 0, isHot: false };
}

/** Hot from `hotPerSecond` checks on, until fewer than half of it. */
export function countUse(
  meter: RateMeter,
  { nowMs, cost, hotPerSecond }: { nowMs: number; cost: number; hotPerSecond: number },
): void {
  const elapsedMs = nowMs - meter.startMs;
  if (elapsedMs >= WINDOW_MS) {
    const perSecond = (meter.checks * 1000) / elapsedMs;
    meter.isHot = perSecond >= (meter.isHot ? hotPerSecond / 2 : hotPerSecond);
    meter.perMs = meter.tokens / elapsedMs;
    meter.startMs = nowMs;
    meter.checks = 0;
    meter.tokens = 0;
  }
  meter.checks += 1;
  meter.tokens += cost;
  if (!meter.isHot && meter.checks * 1000 > hotPerSecond * WINDOW_MS) meter.isHot = true;
}

/** Tokens a ms: the last measurement, or what it rose to since. */
export function rateOf(meter: RateMeter, nowMs: number): number {
  const elapsedMs = Math.max(SEEN_MIN_MS, nowMs - meter.startMs);
  return Math.max(meter.perMs, meter.tokens / elapsedMs);
}
