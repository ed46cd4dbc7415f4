import { RATE_MAX } from "@/lib/core/limit";

export const SCALE_STEPS = 200;

/** Rates of a slider, each some percent above the one before: from 1 to beyond whatever anybody asked. */
export function limitScale({ rate, peak }: { rate: number; peak: number }): { max: number } {
  const wide = Math.max(10, 4 * rate, 2 * peak);
  const unit = 10 ** Math.floor(Math.log10(wide));
  return { max: Math.min(RATE_MAX, Math.ceil(wide / unit) * unit) };
}

/** Three digits are as fine as anybody sets a limit. */
export function rateAt(position: number, max: number): number {
  const exact = max ** (position / SCALE_STEPS);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 2);
  return Math.min(max, Math.max(1, Math.round(exact / unit) * unit));
}

export function positionOf(rate: number, max: number): number {
  if (rate <= 1 || max <= 1) return 0;
  return Math.min(SCALE_STEPS, Math.round((SCALE_STEPS * Math.log(rate)) / Math.log(max)));
}
