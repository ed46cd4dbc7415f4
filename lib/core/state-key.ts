import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Of the layout in record.ts: gateways with another one count in keys of their own. */
const LAYOUT = 1;
const PLAIN = /^[A-Za-z0-9:._/-]+$/;
const TAG_MAX = 100;
const HASH_BYTES = 16;

/** `hg:<env>:1:{<principal>}`: all of a principal's plain buckets in one value. */
export function stateKey(environment: string, principal: string): string {
  return `${prefix(environment)}{${tagOf(principal)}}`;
}

/**
 * The key of a bucket. A combination has its own, with its principal's hash tag. `global` names nobody, so
 * its buckets are spread over the cluster by slot and rest instead of meeting under one tag. `isAlone`: not in the
 * value that a principal's plain buckets share, since it is a sorted set.
 */
export function bucketKey(
  environment: string,
  {
    principal,
    slot,
    rest,
    isAlone = false,
  }: { principal: string; slot: number; rest: readonly string[]; isAlone?: boolean },
): string {
  const own = isAlone ? `:${slot}` : "";
  const suffix = rest.length === 0 ? own : `:${slot}:${hashParts(rest)}`;
  if (principal !== "global") return stateKey(environment, principal) + suffix;
  return `${prefix(environment)}{global${suffix === "" ? `:${slot}` : suffix}}`;
}

function prefix(environment: string): string {
  return `hg:${escapeBytes(environment)}:${LAYOUT}:`;
}

/** Never empty (Redis would then hash the whole key) and at most TAG_MAX long; `#` marks a hash. */
function tagOf(principal: string): string {
  const tag = escapeBytes(principal);
  return tag.length > 0 && tag.length <= TAG_MAX ? tag : `#${hashParts([principal])}`;
}

/** Injective, and without braces: any byte outside a small alphabet becomes `%XX`. */
function escapeBytes(text: string): string {
  if (PLAIN.test(text)) return text;
  let escaped = "";
  for (const byte of utf8ToBytes(text)) {
    const character = String.fromCharCode(byte);
    escaped += PLAIN.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}

/** 128 bits over length-prefixed parts, so that no two tuples read alike. */
function hashParts(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join("");
  return bytesToHex(sha256(utf8ToBytes(text)).subarray(0, HASH_BYTES));
}
