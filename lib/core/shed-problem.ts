import type { GatewayProblem } from "./problem";

type Shed = Required<Pick<GatewayProblem, "rule" | "version" | "requestId" | "retryAfter">>;

/** The body of a shedder's 503: draft-ietf-httpapi-ratelimit-headers-11 §5.2. It does not tell the capacity. */
export function shedProblem({ rule, version, requestId, retryAfter }: Shed): GatewayProblem {
  const seconds = retryAfter === 1 ? "1 second" : `${retryAfter} seconds`;
  return {
    type: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
    title: "Request cannot be satisfied due to temporary server capacity constraints",
    status: 503,
    detail: `The API is busy and serves more important requests first. Try again in ${seconds}.`,
    rule,
    version,
    requestId,
    retryAfter,
    "violated-policies": [rule],
  };
}

/** Seconds at most that clients of a class are spread over when hardly any, and when all of it is refused. */
const SPREAD_MIN = 2;
const SPREAD_MAX = 10;

/**
 * What a refused client is told to wait: whole seconds, at least 1, by chance (0..1), so that they do not come back
 * together. `share` of its class is refused, 0..1.
 */
export function shedRetryAfter(share: number, chance: number): number {
  const spread = SPREAD_MIN + (SPREAD_MAX - SPREAD_MIN) * Math.min(1, Math.max(0, share));
  return 1 + Math.floor(Math.min(chance, 0.999) * spread);
}
