import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Rule } from "./rule";

/**
 * Names a counting definition, hex: what is counted by, of which kind, by which algorithm. Rules of one id and
 * one hash share a slot, so their counters go on; another hash starts at full.
 */
export function countingHash({ countBy, limit }: Pick<Rule, "countBy" | "limit">): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([countBy, limit.kind, limit.algorithm]))));
}
