import type { BrokenReason } from "../core/access-log";

const SAMPLES = 3;
const SAMPLE_LENGTH = 200;

export type BrokenLine = { file: string; line: number; sample: string };

export type LogTally = {
  lines: number;
  parsed: number;
  /** Per class: how many, and the first of them. */
  broken: Map<BrokenReason, { count: number; samples: BrokenLine[] }>;
  /** Parsed lines that came after a later one, and those of them that came too late to be put in order. */
  outOfOrder: number;
  tooLate: number;
  /** Lines that listed several addresses; the first was taken. */
  lists: number;
  /** All lines were read, so `parsed` is final. */
  isComplete: boolean;
};

export function emptyTally(): LogTally {
  return {
    lines: 0,
    parsed: 0,
    broken: new Map(),
    outOfOrder: 0,
    tooLate: 0,
    lists: 0,
    isComplete: false,
  };
}

export function countBroken(tally: LogTally, reason: BrokenReason, found: BrokenLine): void {
  let known = tally.broken.get(reason);
  if (known === undefined) {
    known = { count: 0, samples: [] };
    tally.broken.set(reason, known);
  }
  known.count += 1;
  if (known.samples.length < SAMPLES)
    known.samples.push({ ...found, sample: ` ${found.sample.slice(0, SAMPLE_LENGTH)}`.slice(1) });
}
