import { FULL, grownPlaces, placesFor, SEGMENTS } from "./segments";

/**
 * Keys by 96 bits of their keyed hash: open addressing, four words a place, the name (0: free) and the fingerprint.
 * In segments by the first byte, each of which grows by itself, so that no growth moves more than a few thousand.
 */
export type FingerprintTable = {
  /** The name that was put; 0 when unknown. */
  find(a: number, b: number, c: number): number;
  /** The name that was there before; 0 when none. */
  put(a: number, b: number, c: number, name: number): number;
  /** The name that was there; 0 when none. */
  remove(a: number, b: number, c: number): number;
  /** Four words a key: its name and fingerprint, of one segment after the other; those of the first are 0 for none. */
  segments(): Generator<Int32Array>;
  size(): number;
  bytes(): number;
};

const FIRST = 4;

type Segment = { words: Int32Array; places: number; taken: number };

/** `expected` keys fit without growing. All words are of 32 bits, signed, as V8 makes an object of each larger one. Hashes are even by themselves: nobody chooses them. */
export function createFingerprintTable({ expected = 0 } = {}): FingerprintTable {
  const places = Math.max(FIRST, placesFor(expected));
  const segments: Segment[] = Array.from({ length: SEGMENTS }, () => segmentOf(places));
  let size = 0;

  const at = (a: number) => segments[a >>> 24] as Segment;

  return {
    find: (a, b, c) => {
      const segment = at(a);
      return segment.words[placeOf(segment, a, b, c) * 4] ?? 0;
    },
    put: (a, b, c, name) => {
      const segment = at(a);
      const { words } = segment;
      const word = placeOf(segment, a, b, c) * 4;
      const held = words[word] ?? 0;
      words[word] = name;
      if (held !== 0) return held;
      words[word + 1] = a;
      words[word + 2] = b;
      words[word + 3] = c;
      segment.taken += 1;
      size += 1;
      if (segment.taken > segment.places * FULL) grow(segment);
      return 0;
    },
    remove: (a, b, c) => {
      const segment = at(a);
      const place = placeOf(segment, a, b, c);
      const held = segment.words[place * 4] ?? 0;
      if (held === 0) return 0;
      close(segment, place);
      segment.taken -= 1;
      size -= 1;
      return held;
    },
    segments: function* () {
      for (const { words } of segments) yield words.slice();
    },
    size: () => size,
    bytes: () => segments.reduce((sum, { words }) => sum + words.byteLength, 0),
  };
}

export function fingerprintHex(a: number, b: number, c: number): string {
  const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
  return `${hex(a)}${hex(b)}${hex(c)}`;
}

function segmentOf(places: number): Segment {
  return { words: new Int32Array(places * 4), places, taken: 0 };
}

function homeOf(a: number, places: number): number {
  return Math.floor(((a & 0xffffff) / 0x1000000) * places);
}

/** The place of the fingerprint, or the free one where it belongs. */
function placeOf({ words, places }: Segment, a: number, b: number, c: number): number {
  let place = homeOf(a, places);
  for (;;) {
    const word = place * 4;
    if (words[word] === 0) return place;
    if (words[word + 1] === a && words[word + 2] === b && words[word + 3] === c) return place;
    place = place + 1 === places ? 0 : place + 1;
  }
}

function grow(segment: Segment): void {
  const { words: old } = segment;
  const places = grownPlaces(segment.places);
  const words = new Int32Array(places * 4);
  for (let i = 0; i < old.length; i += 4) {
    if (old[i] === 0) continue;
    let place = homeOf(old[i + 1] ?? 0, places);
    while (words[place * 4] !== 0) place = place + 1 === places ? 0 : place + 1;
    for (let word = 0; word < 4; word += 1) words[place * 4 + word] = old[i + word] ?? 0;
  }
  segment.words = words;
  segment.places = places;
}

/** Frees a place and moves up what is behind it, so that no look-up ends too early. */
function close({ words, places }: Segment, place: number): void {
  let hole = place;
  let at = place;
  for (;;) {
    at = at + 1 === places ? 0 : at + 1;
    if (words[at * 4] === 0) break;
    const home = homeOf(words[at * 4 + 1] ?? 0, places);
    // It may move unless its home is behind the hole, on the way round to where it is.
    const isBehind = hole < at ? home > hole && home <= at : home > hole || home <= at;
    if (isBehind) continue;
    words.copyWithin(hole * 4, at * 4, at * 4 + 4);
    hole = at;
  }
  words.fill(0, hole * 4, hole * 4 + 4);
}
