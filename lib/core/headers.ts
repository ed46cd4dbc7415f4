import { type BucketLimit, quotaOf, windowSeconds } from "./bucket-limit";
import type { CheckDecision, RuleOutcome } from "./check";
import type { Settings } from "./ruleset";

export type HeaderField = readonly [name: string, value: string];

/**
 * The fields that a decision adds to the answer; none without an enforced rule. They speak for the binding
 * rule, whose bucket `limit` is. Times are whole seconds, rounded up. Names and parameters of RateLimit and
 * RateLimit-Policy: draft-ietf-httpapi-ratelimit-headers-11.
 */
export function rateLimitHeaders(
  { verdict, binding, nowUs }: Pick<CheckDecision, "verdict" | "binding" | "nowUs">,
  limit: BucketLimit | null,
  settings: Settings["headers"],
): HeaderField[] {
  if (binding === null || limit === null) return [];
  const remaining = String(Math.max(0, binding.remaining));
  const reset = String(resetSeconds(binding));
  const fields: HeaderField[] = [];
  if (settings.xRateLimit) {
    fields.push(["X-RateLimit-Limit", String(quotaOf(limit))]);
    fields.push(["X-RateLimit-Remaining", remaining]);
    fields.push(["X-RateLimit-Reset", reset]);
  }
  if (settings.draft) {
    const policy = structuredString(binding.ruleId);
    fields.push(["RateLimit", `${policy};r=${remaining};t=${reset}`]);
    fields.push(["RateLimit-Policy", `${policy};${policyWords(limit, nowUs)}`]);
  }
  const wait = verdict === "refused" ? retryAfterSeconds(binding) : null;
  if (wait !== null) fields.push(["Retry-After", String(wait)]);
  if (settings.expose && fields.length > 0) {
    const names = fields.map(([name]) => name).join(", ");
    fields.push(["Access-Control-Expose-Headers", names]);
  }
  return fields;
}

/** Seconds after which the refused request would pass, at least 1; null when waiting does not help. */
export function retryAfterSeconds(
  outcome: Pick<RuleOutcome, "resetMs" | "retryAfterMs">,
): number | null {
  if (outcome.retryAfterMs === null) return null;
  // Never before the reset: a client may wait for either.
  return Math.max(1, Math.ceil(outcome.retryAfterMs / 1000), resetSeconds(outcome));
}

/** Seconds until one whole token is there; 0 when it is. */
function resetSeconds(outcome: Pick<RuleOutcome, "resetMs">): number {
  return Math.max(0, Math.ceil(outcome.resetMs / 1000));
}

/** Its quota, and the seconds in which it comes in; or that it counts requests at the same time. */
function policyWords(limit: BucketLimit, nowUs: number): string {
  const seconds = windowSeconds(limit, nowUs);
  const quota = `q=${quotaOf(limit)}`;
  return seconds === null ? `${quota};qu="concurrent-requests"` : `${quota};w=${seconds}`;
}

/** A string of RFC 9651: printable ASCII, quote and backslash escaped. */
export function structuredString(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&")}"`;
}
