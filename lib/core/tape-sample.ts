import { drawOf } from "./share";

/** The draw's fixed name: the same clients are on the tape of every gateway, whatever the rules are. */
export const TAPE_DRAW = "_tape";

/** Of 10,000 clients how many are on tape at a share of `percent`: 0..10,000. */
export function tapeSample(percent: number): number {
  return Math.round(percent * 100);
}

/** Whether a client is of a sample of so many of 10,000; who is of a smaller one is of each larger one. */
export function isInTapeSample(client: string, sample: number): boolean {
  return sample >= 10_000 || drawOf(TAPE_DRAW, client) < sample;
}
