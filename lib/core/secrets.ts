import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { SigningKey } from "./snapshot";

export type Purpose =
  | "snapshot"
  | "api-key"
  | "api-token"
  | "session"
  | "demo-key"
  | "webhook"
  | "log";

/**
 * One derived secret per root secret, first = the one that signs; the others still verify. `keyId` is eight hex
 * digits of the derived secret's own hash, so it tells nothing about the root.
 */
export function deriveKeys(
  rootSecrets: readonly string[],
  purpose: Purpose,
): [SigningKey, ...SigningKey[]] {
  const keys = rootSecrets.map((root) => {
    const secret = hkdf(
      sha256,
      utf8ToBytes(root),
      utf8ToBytes("headgate"),
      utf8ToBytes(purpose),
      32,
    );
    return { keyId: bytesToHex(sha256(secret)).slice(0, 8), secret };
  });
  const [first, ...others] = keys;
  if (first === undefined) throw new Error("deriveKeys needs at least one root secret, got none");
  return [first, ...others];
}

/** Keyed hash of an API key or token, hex: all that is ever stored of it. */
export function keyedHash(text: string, key: SigningKey): string {
  return bytesToHex(hmac(sha256, key.secret, utf8ToBytes(text)));
}
