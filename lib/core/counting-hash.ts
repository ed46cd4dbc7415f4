import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { orderedCountBy } from "./count-by";
import type { Rule } from "./rule";

/**
 * Names a counting definition, hex: what is counted by (in whatever order it is written), of which kind, by which
 * algorithm. Rules of one id and one hash share a slot, so their counters go on; another hash starts at full.
 */
export function countingHash({ countBy, limit }: Pick<Rule, "countBy" | "limit">): string {
  const definition = [orderedCountBy(countBy), limit.kind, limit.algorithm];
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(definition))));
}
