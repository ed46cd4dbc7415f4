import type { CheckRule } from "@/lib/core/check";

/** One request in flight, as one concurrency rule counts it. */
export type Lease = {
  /** Of the bucket. */
  key: string;
  slot: number;
  /** The check's. */
  leaseId: string;
  /** How long it lasts after it was last renewed. */
  leaseSeconds: number;
};

/** Those that concurrency rules, of any rules, mean for a request. */
export function leasesOf(rules: readonly CheckRule[], leaseId: string): Lease[] {
  return rules.flatMap(({ key, slot, limit }) =>
    limit.algorithm === "concurrency"
      ? [{ key, slot, leaseId, leaseSeconds: limit.leaseSeconds }]
      : [],
  );
}
