import { AppError } from "@/lib/core/errors";

/**
 * Which of the nodes a state key lives on: of the node names, the one whose weight with the key's hash tag is
 * highest (rendezvous hashing). So the order of the names does not matter, and a further one takes its share from
 * all others and moves nothing between them. Changing any number here moves everybody.
 */
export function createRendezvous(names: readonly string[]): (key: string) => number {
  const seeds = names.map((name) => mix(hash(name, 0, name.length)));
  for (const [index, seed] of seeds.entries()) {
    const same = seeds.indexOf(seed);
    if (same !== index)
      throw new AppError(
        "invalid",
        `nodes of a ring need names that place differently, got ${names[same]} and ${names[index]}`,
      );
  }
  return (key) => {
    const start = key.indexOf("{") + 1;
    const end = start === 0 ? -1 : key.indexOf("}", start);
    const tag = end > start ? hash(key, start, end) : hash(key, 0, key.length);
    let best = 0;
    let highest = -1;
    for (let index = 0; index < seeds.length; index += 1) {
      // No two are equal: the seeds differ, and mixing maps no two numbers to one.
      const weight = mix(tag ^ (seeds[index] ?? 0));
      if (weight > highest) {
        highest = weight;
        best = index;
      }
    }
    return best;
  };
}

/** FNV-1a over UTF-16 units, 32 bits: state keys are ASCII. */
function hash(text: string, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return value;
}

/** MurmurHash3's finaliser: each bit in changes about half of those out. One to one. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
