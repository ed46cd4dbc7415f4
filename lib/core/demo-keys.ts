import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { apiKeyOf } from "./api-key";
import { deriveKeys } from "./secrets";

/** The demo's clients: 90 of 100 free, 9 paid, 1 enterprise, as its traffic is. */
export const DEMO_PLANS = [
  { plan: "free", from: 0, to: 90 },
  { plan: "paid", from: 90, to: 99 },
  { plan: "enterprise", from: 99, to: 100 },
] as const;
export const DEMO_KEYS = 100;

/** Demo key number `i`, 0..99: the seed and the traffic make the same ones from the root secret, so none is stored. */
export function demoKey(rootSecrets: readonly string[], i: number): string {
  const [{ secret }] = deriveKeys(rootSecrets, "demo-key");
  return apiKeyOf(hmac(sha256, secret, utf8ToBytes(`demo-key-${i}`)));
}

export function demoPlan(i: number): string {
  const group = DEMO_PLANS.find(({ from, to }) => i >= from && i < to);
  if (group === undefined) throw new Error(`a demo key is 0..${DEMO_KEYS - 1}, got ${i}`);
  return group.plan;
}

/** `demo-free-07`: customer and key id of demo key `i`. */
export function demoId(i: number): string {
  return `demo-${demoPlan(i)}-${String(i).padStart(2, "0")}`;
}
