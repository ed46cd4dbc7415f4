import { AppError } from "./errors";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_PREFIX = "hg_";
const KEY_LETTERS = 32;
/** Shorter ones are no keys: they could be guessed. Longer than this no gateway hashes. */
export const KEY_MIN = 16;
export const KEY_MAX = 512;
/** Characters of a key that people may see: enough to tell keys apart, 36 bits of 190. */
const SHOWN = 9;

/** `hg_` and 32 letters (190 bits) from at least 32 random bytes. */
export function apiKeyOf(bytes: Uint8Array): string {
  return `${KEY_PREFIX}${base62(bytes, KEY_LETTERS)}`;
}

export function apiKeyPrefix(key: string): string {
  return key.slice(0, SHOWN);
}

/** Of a key that somebody else made, which may be short: never more than a quarter of it. */
export function foreignKeyPrefix(key: string): string {
  return key.slice(0, Math.min(SHOWN, Math.floor(key.length / 4)));
}

/** `letters` base-62 digits of the bytes read as one number: even but for 2^-60. */
export function base62(bytes: Uint8Array, letters: number): string {
  if (bytes.length * 8 < letters * 6 + 60)
    throw new AppError("internal", `${letters} letters need more than ${bytes.length} bytes`);
  let number = 0n;
  for (const byte of bytes) number = number * 256n + BigInt(byte);
  let text = "";
  for (let i = 0; i < letters; i += 1) {
    text += BASE62[Number(number % 62n)];
    number /= 62n;
  }
  return text;
}
