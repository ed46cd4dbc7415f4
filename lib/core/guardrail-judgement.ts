import type { Guardrail } from "./guardrail";

export const VERDICTS = ["within", "waiting", "crossing", "undo", "hold"] as const;

/** Counts of the enforced revision since it became so, and whether they can be trusted. */
export type GuardrailMeasure = {
  requests: number;
  rejections: number;
  /** Rejections by plan id; a plan without any may be left out. */
  rejectionsByPlan: Record<string, number>;
  /** Why counts are missing, a sentence each: gateways silent, ingest behind. Empty when whole. */
  missing: string[];
};

export type GuardrailContext = {
  /** Rejected share that shadow foretold, 0..1; null without shadow counts. */
  predictedShare: number | null;
  /** Ids of the plans marked protected. */
  protectedPlans: string[];
  /** Epoch ms since which a bound was crossed at each look; null when the last look was within. */
  crossedSinceMs: number | null;
  /** Another version changed the rule since: its change can no longer be taken back alone. */
  changedSince: boolean;
};

/** Only `within` lets a ramp go on; `hold` alerts, `waiting` (too few requests yet) does not. `why` names measured values. */
export type GuardrailJudgement = {
  verdict: (typeof VERDICTS)[number];
  /** To be handed in as `crossedSinceMs` at the next look. */
  crossedSinceMs: number | null;
  why: string[];
};

/** What a guardrail says at one look. Missing data holds: it neither passes nor undoes, and keeps the crossing's start. */
export function judgeGuardrail(
  guardrail: Guardrail,
  measure: GuardrailMeasure,
  { crossedSinceMs, changedSince, ...context }: GuardrailContext,
  nowMs: number,
): GuardrailJudgement {
  if (measure.missing.length > 0) return { verdict: "hold", crossedSinceMs, why: measure.missing };
  const why = crossedBounds(guardrail, measure, context);
  if (why.length === 0) {
    const { requests } = measure;
    if (requests === 0)
      return { verdict: "hold", crossedSinceMs, why: ["no request was counted yet"] };
    if (requests >= guardrail.minRequests) return { verdict: "within", crossedSinceMs: null, why };
    const few = `${requests} requests counted, ${guardrail.minRequests} needed`;
    return { verdict: "waiting", crossedSinceMs, why: [few] };
  }
  const since = crossedSinceMs ?? nowMs;
  if (nowMs - since < guardrail.forSeconds * 1000) {
    return { verdict: "crossing", crossedSinceMs: since, why };
  }
  if (changedSince) {
    const changed = "the rule was changed since, so its change is not undone";
    return { verdict: "hold", crossedSinceMs: since, why: [...why, changed] };
  }
  return { verdict: guardrail.action, crossedSinceMs: since, why };
}

function crossedBounds(
  { maxRejectedShare, protectedPlans, timesPredicted, minRequests }: Guardrail,
  { requests, rejections, rejectionsByPlan }: GuardrailMeasure,
  context: Pick<GuardrailContext, "predictedShare" | "protectedPlans">,
): string[] {
  const why: string[] = [];
  const share = requests > 0 ? rejections / requests : 0;
  const counted = `${percent(share)} rejected (${rejections} of ${requests})`;
  const isJudged = requests >= minRequests;
  if (isJudged && maxRejectedShare !== null && share > maxRejectedShare) {
    why.push(`${counted}, at most ${percent(maxRejectedShare)} allowed`);
  }
  const predicted = context.predictedShare;
  if (isJudged && timesPredicted !== null && predicted !== null) {
    if (share > timesPredicted * predicted) {
      why.push(`${counted}, more than ${timesPredicted} × the predicted ${percent(predicted)}`);
    }
  }
  const plans = protectedPlans === true ? context.protectedPlans : protectedPlans || [];
  for (const plan of plans) {
    const hits = Object.hasOwn(rejectionsByPlan, plan) ? (rejectionsByPlan[plan] ?? 0) : 0;
    if (hits > 0) why.push(`${hits} rejected of protected plan ${plan}`);
  }
  return why;
}

/** Up to two decimals. */
function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`;
}
