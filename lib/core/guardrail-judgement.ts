import type { Guardrail } from "./guardrail";
import { percent } from "./guardrail-words";

export const VERDICTS = ["within", "waiting", "crossing", "undo", "hold"] as const;

/** What one look found of an enforced change, and whether it can be trusted. */
export type GuardrailMeasure = {
  /** Of the trailing window (`guardrail-window`), which is this long. */
  windowSeconds: number;
  requests: number;
  rejections: number;
  /** By plan id, since it is watched; a plan without any may be left out. */
  rejectionsByPlan: Readonly<Record<string, number>>;
  /** Why counts are missing, a sentence each: gateways silent, ingest behind. Empty when whole. */
  missing: readonly string[];
  /** Nothing fresh is known at all: then not even what is crossed is. */
  isBlind: boolean;
};

export type GuardrailContext = {
  /** What shadow foretold; null without shadow counts. */
  predicted: { requests: number; rejections: number } | null;
  /** Ids of the plans marked protected. */
  protectedPlans: readonly string[];
  /** Epoch ms since which a bound was crossed at each look; null when the last look was within. */
  crossedSinceMs: number | null;
  /** Why the change cannot be taken back alone; null when it can. */
  keptBecause: string | null;
};

/** Only `within` lets a ramp go on. `why` names measured values. */
export type GuardrailJudgement = {
  verdict: (typeof VERDICTS)[number];
  /** Of `hold`: until a person acts, or until the data comes. */
  heldFor: "crossing" | "data" | null;
  /** To be handed in as `crossedSinceMs` at the next look. */
  crossedSinceMs: number | null;
  why: string[];
};

/**
 * What a guardrail says at one look. Missing data never passes and keeps a crossing's start; harm that is seen on the
 * gateways that do report is harm all the same.
 */
export function judgeGuardrail(
  guardrail: Guardrail,
  measure: GuardrailMeasure,
  { crossedSinceMs, keptBecause, ...context }: GuardrailContext,
  nowMs: number,
): GuardrailJudgement {
  const { requests, missing, isBlind } = measure;
  const noData: GuardrailJudgement = {
    verdict: "hold",
    heldFor: "data",
    crossedSinceMs,
    why: [...missing],
  };
  if (isBlind) return noData;
  const why = crossedBounds(guardrail, measure, context);
  if (why.length > 0) {
    const since = crossedSinceMs ?? nowMs;
    const crossed = { heldFor: null, crossedSinceMs: since, why };
    if (nowMs - since < guardrail.forSeconds * 1000) return { ...crossed, verdict: "crossing" };
    if (guardrail.action === "undo" && keptBecause === null) return { ...crossed, verdict: "undo" };
    const kept = guardrail.action === "hold" || keptBecause === null ? [] : [keptBecause];
    return { ...crossed, verdict: "hold", heldFor: "crossing", why: [...why, ...kept] };
  }
  if (missing.length > 0) return noData;
  if (requests >= guardrail.minRequests)
    return { verdict: "within", heldFor: null, crossedSinceMs: null, why };
  const counted = requests === 0 ? "no request" : `${requests} requests`;
  const few = `${counted} counted, ${guardrail.minRequests} needed`;
  return { verdict: "waiting", heldFor: null, crossedSinceMs: null, why: [few] };
}

function crossedBounds(
  { maxRejectedShare, protectedPlans, timesPredicted, minRequests }: Guardrail,
  { windowSeconds, requests, rejections, rejectionsByPlan }: GuardrailMeasure,
  { predicted, ...context }: Pick<GuardrailContext, "predicted" | "protectedPlans">,
): string[] {
  const why: string[] = [];
  const share = requests > 0 ? rejections / requests : 0;
  const counted = `${percent(share)} rejected (${rejections} of ${requests} in ${Math.round(windowSeconds)} s)`;
  const isJudged = requests >= minRequests && requests > 0;
  if (isJudged && maxRejectedShare !== null && share > maxRejectedShare) {
    why.push(`${counted}, at most ${percent(maxRejectedShare)} allowed`);
  }
  if (isJudged && timesPredicted !== null && predicted !== null && predicted.requests > 0) {
    // None of n seen is not none at all: it is taken as one of n.
    const foretold = Math.max(1, predicted.rejections) / predicted.requests;
    if (share > timesPredicted * foretold) {
      const none = predicted.rejections === 0 ? ` (none of ${predicted.requests}, taken as 1)` : "";
      const words = `${percent(predicted.rejections / predicted.requests)}${none}`;
      why.push(`${counted}, more than ${timesPredicted} × the predicted ${words}`);
    }
  }
  const plans = protectedPlans === true ? context.protectedPlans : protectedPlans || [];
  for (const plan of plans) {
    const hits = Object.hasOwn(rejectionsByPlan, plan) ? (rejectionsByPlan[plan] ?? 0) : 0;
    if (hits > 0)
      why.push(`${hits} ${hits === 1 ? "request" : "requests"} rejected of protected plan ${plan}`);
  }
  return why;
}
