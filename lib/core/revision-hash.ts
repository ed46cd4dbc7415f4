import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** sha256 of an object's content, hex, whatever the order of its fields: equal content is one revision. */
export function revisionHash(body: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(body))));
}

/** JSON with the fields of every object sorted and absent ones left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
