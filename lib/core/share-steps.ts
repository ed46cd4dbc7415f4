import { type Candidate, shareOfPlan } from "./candidate";
import { revisionHash } from "./revision-hash";
import type { Rule } from "./rule";

/** A rule as clients meet it. */
type Met = { live: Rule | null; candidate: Candidate | null };

type ClientStep = { from: Rule | null; to: Rule };

/**
 * What a change of a rule, its candidate or its share means to clients: from which revision to which, for some of them.
 * Draws are the same before and after, so of two shares the smaller is in the larger. A client that loses a candidate
 * and is back at a live revision that stayed takes no step: that is what the others have all the time.
 */
export function stepsOfClients(before: Met, after: Met, plans: readonly string[]): ClientStep[] {
  const steps: ClientStep[] = [];
  const add = (from: Rule | null, to: Rule | null) => {
    if (to === null || steps.some((step) => step.from === from && step.to === to)) return;
    steps.push({ from, to });
  };
  const isSameLive = before.live !== null && isSame(before.live, after.live);
  for (const plan of plans) {
    const had = shareOfPlan(before.candidate?.share, plan);
    const has = shareOfPlan(after.candidate?.share, plan);
    const [least, most] = [Math.min(had, has), Math.max(had, has)];
    if (least > 0) add(before.candidate?.rule ?? null, after.candidate?.rule ?? null);
    if (has > had) add(before.live, after.candidate?.rule ?? null);
    if (had > has && !isSameLive) add(before.candidate?.rule ?? null, after.live);
    if (most < 100) add(before.live, after.live);
  }
  return steps;
}

function isSame(a: Rule, b: Rule | null): boolean {
  return b !== null && revisionHash(a) === revisionHash(b);
}
