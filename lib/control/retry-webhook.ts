const FIRST_MS = 5_000;
const LONGEST_MS = 3_600_000;

/** After so many attempts, the last of which failed: 5 s, 10 s, 20 s … up to an hour, each up to a fifth more or less. */
export function retryMs(attempts: number, random: () => number = Math.random): number {
  const doubled = FIRST_MS * 2 ** Math.min(Math.max(attempts, 1) - 1, 20);
  return Math.min(LONGEST_MS, doubled) * (0.8 + random() * 0.4);
}

/** Of a `Retry-After`, seconds or a date, at most an hour; 0 for what is none. */
export function retryAfterMs(text: string | null, nowMs = Date.now()): number {
  if (text === null) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  // A negative number reads as a date of long ago.
  return Number.isFinite(ms) ? Math.min(LONGEST_MS, Math.max(0, ms)) : 0;
}
