import { AppError } from "@/lib/core/errors";
import { type AsciiBuffer, asciiBuffer } from "./ascii-buffer";
import { FULL, grownPlaces, placesFor, SEGMENTS } from "./segments";

/**
 * Ids of keys and customers, each kept once, with what is known under it; a name is a number, its record's place.
 * A record is 7 bytes and the letters: length u8, hashes u8, plan u8, customer u32. What does not fit into its byte
 * is in a map; few keys have 255 hashes, few installations as many plans.
 */
export type NameTable = {
  /** 0 when it is not there. Names are ASCII. */
  find(name: string): number;
  /** Its number, a new one if need be. */
  intern(bytes: Uint8Array, from: number, to: number): number;
  text(name: number): string;
  /** How many hashes name this key. */
  hashes(name: number): number;
  setHashes(name: number, hashes: number): void;
  /** Of a customer: a number of its plan, 0 when there is no such customer. */
  plan(name: number): number;
  setPlan(name: number, plan: number): void;
  /** Of a key: its customer's name. */
  customer(name: number): number;
  setCustomer(name: number, customer: number): void;
  /** Writes its letters into `target`; gives the place behind them. */
  copy(name: number, target: Uint8Array, at: number): number;
  names(): Generator<number>;
  size(): number;
  bytes(): number;
};

/** Records never cross a page's end. Pages are only added, so growing copies nothing. */
const PAGE_BITS = 19;
const PAGE = 1 << PAGE_BITS;
const HEAD = 7;
const HASHES = 1;
const PLAN = 2;
const CUSTOMER = 3;
/** In a byte's place: look into the map. */
const LARGE = 255;

const FIRST = 8;

type Segment = { places: Uint32Array; taken: number };

/** `expected` names fit without growing. */
export function createNameTable({ expected = 0 } = {}): NameTable {
  const pages: AsciiBuffer[] = [];
  /** Place 0 is nobody's. */
  let next = 1;
  const first = Math.max(FIRST, placesFor(expected));
  const segments: Segment[] = Array.from({ length: SEGMENTS }, () => ({
    places: new Uint32Array(first),
    taken: 0,
  }));
  const scratch = new Uint8Array(64);
  /** By the byte's place. */
  const large = new Map<number, number>();

  const pageOf = (name: number) => pages[name >>> PAGE_BITS] as AsciiBuffer;
  const atOf = (name: number) => name & (PAGE - 1);
  const segmentOf = (hash: number) => segments[hash >>> 24] as Segment;

  function small(name: number, field: number): number {
    const value = pageOf(name)[atOf(name) + field] ?? 0;
    return value === LARGE ? (large.get(name + field) ?? LARGE) : value;
  }

  function setSmall(name: number, field: number, value: number): void {
    const page = pageOf(name);
    const at = atOf(name) + field;
    if (value >= LARGE) large.set(name + field, value);
    else if (page[at] === LARGE) large.delete(name + field);
    page[at] = Math.min(value, LARGE);
  }

  function isSame(name: number, bytes: Uint8Array, from: number, to: number): boolean {
    const page = pageOf(name);
    const at = atOf(name);
    if (page[at] !== to - from) return false;
    for (let i = from, j = at + HEAD; i < to; i += 1, j += 1)
      if (page[j] !== bytes[i]) return false;
    return true;
  }

  /** The place of the name, or the free one where it belongs. */
  function placeOf({ places }: Segment, hash: number, bytes: Uint8Array, from: number, to: number) {
    let place = homeOf(hash, places.length);
    for (;;) {
      const name = places[place] ?? 0;
      if (name === 0 || isSame(name, bytes, from, to)) return place;
      place = place + 1 === places.length ? 0 : place + 1;
    }
  }

  function grow(segment: Segment): void {
    const old = segment.places;
    const places = new Uint32Array(grownPlaces(old.length));
    for (const name of old) {
      if (name === 0) continue;
      const page = pageOf(name);
      const at = atOf(name) + HEAD;
      let place = homeOf(hashOf(page, at, at + (page[atOf(name)] ?? 0)), places.length);
      while (places[place] !== 0) place = place + 1 === places.length ? 0 : place + 1;
      places[place] = name;
    }
    segment.places = places;
  }

  function append(bytes: Uint8Array, from: number, to: number): number {
    const size = HEAD + to - from;
    if (atOf(next) + size > PAGE) next = pages.length << PAGE_BITS;
    if (next >>> 0 !== next || pages.length >= 2 ** (32 - PAGE_BITS))
      throw new AppError("internal", "the directory's names take more than 4 GiB");
    if (next >>> PAGE_BITS >= pages.length) pages.push(asciiBuffer(PAGE));
    const name = next;
    const page = pageOf(name);
    page[atOf(name)] = to - from;
    for (let i = from, j = atOf(name) + HEAD; i < to; i += 1, j += 1) page[j] = bytes[i] ?? 0;
    next += size;
    return name;
  }

  function intern(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to);
    const segment = segmentOf(hash);
    const place = placeOf(segment, hash, bytes, from, to);
    const held = segment.places[place] ?? 0;
    if (held !== 0) return held;
    const name = append(bytes, from, to);
    segment.places[place] = name;
    segment.taken += 1;
    if (segment.taken > segment.places.length * FULL) grow(segment);
    return name;
  }

  return {
    find: (text) => {
      const length = text.length;
      if (length === 0 || length > scratch.length) return 0;
      for (let i = 0; i < length; i += 1) {
        const letter = text.charCodeAt(i);
        if (letter > 127) return 0;
        scratch[i] = letter;
      }
      const hash = hashOf(scratch, 0, length);
      const segment = segmentOf(hash);
      return segment.places[placeOf(segment, hash, scratch, 0, length)] ?? 0;
    },
    intern,
    text: (name) => {
      const page = pageOf(name);
      const at = atOf(name);
      return page.latin1Slice(at + HEAD, at + HEAD + (page[at] ?? 0));
    },
    hashes: (name) => small(name, HASHES),
    setHashes: (name, hashes) => setSmall(name, HASHES, hashes),
    plan: (name) => small(name, PLAN),
    setPlan: (name, plan) => setSmall(name, PLAN, plan),
    customer: (name) => pageOf(name).readUInt32LE(atOf(name) + CUSTOMER),
    setCustomer: (name, customer) => pageOf(name).writeUInt32LE(customer, atOf(name) + CUSTOMER),
    copy: (name, target, at) => {
      const page = pageOf(name);
      const from = atOf(name) + HEAD;
      const length = page[atOf(name)] ?? 0;
      for (let i = 0; i < length; i += 1) target[at + i] = page[from + i] ?? 0;
      return at + length;
    },
    names: function* () {
      for (const { places } of segments) for (const name of places) if (name !== 0) yield name;
    },
    size: () => segments.reduce((sum, { taken }) => sum + taken, 0),
    bytes: () =>
      pages.length * PAGE + segments.reduce((sum, { places }) => sum + places.byteLength, 0),
  };
}

/** FNV-1a, then mixed: its high bits choose the segment, its low ones the place. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function homeOf(hash: number, places: number): number {
  return Math.floor(((hash & 0xffffff) / 0x1000000) * places);
}
