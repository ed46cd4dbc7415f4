/** Minutes of an hour as two whole numbers of 30 bits, minute 0 the lowest of `low`: 60 bits are more than a number holds. */
export type MinuteBits = { low: number; high: number };
/** Unix minutes, `end` not included; halves count as touched. */
export type MinuteRange = { first: number; end: number };

const HALF = 30;

export function none(): MinuteBits {
  return { low: 0, high: 0 };
}

export function union(a: MinuteBits, b: MinuteBits): MinuteBits {
  return { low: a.low | b.low, high: a.high | b.high };
}

export function overlap(a: MinuteBits, b: MinuteBits): MinuteBits {
  return { low: a.low & b.low, high: a.high & b.high };
}

/** The minutes of a Unix hour that the range touches. */
export function minutesBetween(hour: number, { first, end }: MinuteRange): MinuteBits {
  const from = Math.max(0, Math.floor(first) - hour * 60);
  const to = Math.min(60, Math.ceil(end) - hour * 60);
  return { low: bitsBetween(from, to), high: bitsBetween(from - HALF, to - HALF) };
}

export function countBits({ low, high }: MinuteBits): number {
  return onesOf(low) + onesOf(high);
}

/** 0..59; -1 of none. */
export function highestBit({ low, high }: MinuteBits): number {
  return high === 0 ? 31 - Math.clz32(low) : HALF + 31 - Math.clz32(high);
}

export function every({ low, high }: MinuteBits): number[] {
  return Array.from({ length: 60 }, (_, minute) => minute).filter(
    (minute) => (((minute < HALF ? low : high) >>> (minute % HALF)) & 1) === 1,
  );
}

/** Bits `from` to `to` - 1 of the lowest 30. */
function bitsBetween(from: number, to: number): number {
  const [first, end] = [Math.max(0, from), Math.min(HALF, to)];
  return end <= first ? 0 : (2 ** end - 1) & ~(2 ** first - 1);
}

function onesOf(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
