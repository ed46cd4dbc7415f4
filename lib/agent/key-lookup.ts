import { createHash, createHmac, createSecretKey } from "node:crypto";
import { type Clock, SystemClock } from "@/lib/clock";
import { KEY_MAX } from "@/lib/core/api-key";
import type { ClientId } from "@/lib/core/client-id";
import type { SigningKey } from "@/lib/core/snapshot";
import type { DirectorySync } from "./directory-sync";

export type PresentedKey =
  | { state: "known"; client: ClientId; customer: string; plan: string | null }
  | { state: "unknown" }
  /** The directory is not here yet, so nobody can say. The client, and customer, is of this key alone. */
  | { state: "undecided"; client: ClientId; customer: string };

export type KeyLookup = (presented: string) => PresentedKey;

/**
 * Finds who presents a key. The key is hashed under every root secret, the newest first, so that keys made
 * before a rotation are found. node:crypto, as this is on the path of each request; the bytes are keyedHash's.
 */
export function createKeyLookup(
  secrets: readonly SigningKey[],
  directory: Pick<DirectorySync, "index" | "isComplete">,
  clock: Pick<Clock, "nowMs"> = new SystemClock(),
): KeyLookup {
  const keyObjects = secrets.map(({ secret }) => createSecretKey(secret));
  return (presented) => {
    // Hashing longer ones would be work for whoever sends them.
    if (presented.length > KEY_MAX) return { state: "unknown" };
    const index = directory.index();
    let first: Buffer | undefined;
    for (const keyObject of keyObjects) {
      const hash = createHmac("sha256", keyObject).update(presented).digest();
      first ??= hash;
      const known = index.findKey(hash, clock.nowMs());
      if (known !== null) return { state: "known", ...known };
    }
    if (directory.isComplete() || first === undefined) return { state: "unknown" };
    const id = undecidedId(first.toString("hex"));
    return { state: "undecided", client: `key:${id}`, customer: id };
  };
}

/**
 * A name that fits a client id and is the same on every gateway. Hashed once more, as the keyed hash is what a
 * directory finds a key by and so must not show in reports.
 */
function undecidedId(keyedHash: string): string {
  return `unknown-${createHash("sha256").update(keyedHash).digest("hex").slice(0, 12)}`;
}
