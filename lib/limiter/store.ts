import type { CheckRequest, CheckResult } from "@/lib/core/check";

/**
 * Where buckets live. One `check` decides all rules of a request at once and charges all or none of the
 * enforced ones. It resolves for allowed, refused and unavailable alike; it rejects only on a programming error.
 */
export interface Store {
  check(request: CheckRequest): Promise<CheckResult>;
  /** Releases what the store holds; a later check answers `unavailable`. */
  close(): Promise<void>;
}
