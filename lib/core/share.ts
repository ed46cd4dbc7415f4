import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { RuleEntry } from "./ruleset";

/** Draws kept of one rule; a client's does not change, and a flood of clients costs time, not memory. */
const KNOWN_MAX = 10_000;

/** Whether a client is of the share that gets a rule's candidate enforced. */
export type ShareOf = (client: string, plan: string) => boolean;

/** Percent of clients, or a percent per plan (a plan that is not named: none), as a choice that every gateway makes alike. */
export function compileShare({ id, share = 0 }: Pick<RuleEntry, "id" | "share">): ShareOf {
  const percentOf = (plan: string) =>
    typeof share === "number" ? share : Object.hasOwn(share, plan) ? (share[plan] ?? 0) : 0;
  const known = new Map<string, number>();
  return (client, plan) => {
    const bound = percentOf(plan) * 100;
    if (bound <= 0) return false;
    if (bound >= 10_000) return true;
    let draw = known.get(client);
    if (draw === undefined) {
      draw = drawOf(id, client);
      if (known.size >= KNOWN_MAX) known.clear();
      known.set(client, draw);
    }
    return draw < bound;
  };
}

/** uint32(sha256(rule NUL client)) mod 10000: who is of 1 % is of 10 %, and each rule draws anew. */
export function drawOf(rule: string, client: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(`${rule}\0${client}`));
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) % 10_000;
}
