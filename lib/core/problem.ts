import type { BucketLimit } from "./bucket-limit";
import { periodWords } from "./calendar-period";
import { durationWords } from "./duration";
import { FLOOD_RULE } from "./own-rules";

export const PROBLEM_TYPE = "application/problem+json";

/** RFC 9457, as gateways answer it. Members that do not apply are absent. */
export type GatewayProblem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  requestId: string;
  rule?: string;
  /** Version of the rules that decided. */
  version?: number;
  /** Seconds, as in Retry-After. */
  retryAfter?: number;
  /** Names of all rules that refused: draft-ietf-httpapi-ratelimit-headers-11 §5.1. */
  "violated-policies"?: string[];
};

type QuotaExceeded = {
  /** The binding rule and its bucket. */
  rule: string;
  limit: BucketLimit;
  cost: number;
  /** Every enforced rule that refused. */
  violated: readonly string[];
  version: number;
  requestId: string;
  /** Null when waiting does not help. */
  retryAfter: number | null;
};

/** The body of a 429. */
export function quotaProblem(refusal: QuotaExceeded): GatewayProblem {
  const { rule, limit, violated, version, requestId, retryAfter } = refusal;
  const amount = `Rule ${rule} allows ${limitWords(limit)}.`;
  return {
    ...QUOTA_EXCEEDED,
    status: 429,
    detail: `${amount} ${adviceWords(refusal)}`,
    rule,
    version,
    requestId,
    ...(retryAfter === null ? {} : { retryAfter }),
    "violated-policies": [...violated],
  };
}

/** The body of a 429 from the flood list; how many it allows is not told. */
export function floodProblem(more: { version: number; requestId: string }): GatewayProblem {
  return {
    ...QUOTA_EXCEEDED,
    status: 429,
    detail: `Too many requests a second from this address. Try again in ${waitWords(1)}.`,
    rule: FLOOD_RULE.id,
    ...more,
    retryAfter: 1,
    "violated-policies": [FLOOD_RULE.id],
  };
}

const QUOTA_EXCEEDED = {
  type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
  title: "Request cannot be satisfied as assigned quota has been exceeded",
} as const;

const TITLES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
} as const;

/** Any other answer that a gateway makes itself. `about:blank`: the status says all that a program needs. */
export function gatewayProblem(
  status: keyof typeof TITLES,
  detail: string,
  more: Pick<GatewayProblem, "requestId" | "rule" | "version" | "retryAfter">,
): GatewayProblem {
  return { type: "about:blank", title: TITLES[status], status, detail, ...more };
}

/** What is said in each case; none names a key, an address or a host of ours. */
export const DETAILS = {
  denied: "This client is not let in.",
  unknownKey: "The API key is unknown or revoked.",
  upstreamUnreachable: "The API behind this gateway did not accept the connection.",
  upstreamBroken: "The API behind this gateway ended the connection before it answered.",
  upstreamTimeout: "The API behind this gateway did not answer in time.",
  notReady: "This gateway has no rules yet.",
  limiterClosed: "The limit could not be checked, and this rule then refuses.",
} as const;

function adviceWords({ limit, cost, retryAfter }: QuotaExceeded): string {
  if (retryAfter === null) return `This request takes ${cost} at once, which it never allows.`;
  if (limit.algorithm === "concurrency") return "Try again when one of them has been answered.";
  return `Try again in ${waitWords(retryAfter)}.`;
}

/** `60 per 1m`, with the burst where it differs; `60 in any 1m`; `10000 per calendar month (UTC)`; `5 requests at the same time`. */
function limitWords(limit: BucketLimit): string {
  switch (limit.algorithm) {
    case "token-bucket": {
      const { rate, perSeconds, burst } = limit;
      const extra = burst === rate ? "" : `, at most ${burst} at once`;
      return `${rate} per ${durationWords(perSeconds)}${extra}`;
    }
    case "sliding-window":
      return `${limit.quota} in any ${durationWords(limit.perSeconds)}`;
    case "fixed-window":
      return `${limit.quota} per ${periodWords(limit.period)} (${limit.timeZone})`;
    case "concurrency":
      return `${limit.quota} ${limit.quota === 1 ? "request" : "requests"} at the same time`;
  }
}

const WAIT_UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** In one or two units, never less than it is: `9 seconds`, `23 hours`, `13 days 2 hours`. */
function waitWords(wait: number): string {
  const first = WAIT_UNITS.findIndex(([, size]) => wait >= size);
  const [unit, size] = WAIT_UNITS[first] ?? WAIT_UNITS[3];
  const smaller = WAIT_UNITS[first + 1];
  if (smaller === undefined) return counted(wait, unit);
  const whole = Math.ceil(wait / smaller[1]) * smaller[1];
  const rest = (whole % size) / smaller[1];
  const most = counted(Math.floor(whole / size), unit);
  return rest === 0 ? most : `${most} ${counted(rest, smaller[0])}`;
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}
