import {
  bindingOutcome,
  type CheckDecision,
  type CheckRequest,
  type CheckResult,
  type CheckRule,
  type RuleOutcome,
} from "@/lib/core/check";
import { failure } from "./check-batch";
import { groupRules, type Taken, takeAll } from "./groups";

/** usual: may travel with other checks. alone: by itself. asking: by itself, to where a slot is on its way. */
export type Way = "usual" | "alone" | "asking";

/** One Redis, as it is asked. Failures are values. */
export type Member = {
  ask(request: CheckRequest, way: Way): Promise<CheckResult>;
};

/** Where keys live. A place is what one call can decide together: a ring's node, a cluster's slot. */
export type Places<M extends Member> = {
  placeOf(key: string): number;
  memberAt(place: number): M;
  /** Of a cluster: what to do instead with a call that did not run. */
  follow?(place: number, member: M, result: CheckResult): Promise<Next<M> | undefined>;
};

export type Next<M extends Member> = { member: M; way: Way } | "split";

/** A slot that moves sends a call on once or twice; more is a cluster that does not agree with itself. */
const HOPS_MAX = 4;

/** Asks the member that holds a place, and follows the cluster's redirections: such a call did not run. */
export async function askPlace<M extends Member>(
  places: Places<M>,
  place: number,
  request: CheckRequest,
  firstWay: Way = "usual",
): Promise<CheckResult> {
  let member = places.memberAt(place);
  let result = await member.ask(request, firstWay);
  for (let hop = 0; hop < HOPS_MAX && result.verdict === "unavailable"; hop += 1) {
    const next = await places.follow?.(place, member, result);
    if (next === undefined) break;
    if (next !== "split") {
      member = next.member;
      result = await member.ask(request, next.way);
    } else if (request.rules.every(({ key }) => key === request.rules[0]?.key)) {
      // Only what it travelled with has another key.
      result = await member.ask(request, "alone");
    } else {
      return askByKey(places, place, request);
    }
  }
  return result;
}

/** Each key is whole on one side of a slot's move: one by one they can be asked, and none is asked for twice. */
async function askByKey<M extends Member>(
  places: Places<M>,
  place: number,
  request: CheckRequest,
): Promise<CheckResult> {
  const keys = [...new Set(request.rules.map(({ key }) => key))];
  const groups = groupRules(request.rules, (key) => keys.indexOf(key));
  const { taken } = await takeAll(groups, {
    take: ({ rules }) => askPlace(places, place, { ...request, rules }, "alone"),
    giveBack: (rules, { result }) =>
      void askPlace(places, place, { ...request, rules: refundOf(rules, result) }, "alone"),
  });
  return merge(request.rules, taken);
}

/** What gives back what a decision took for these rules. */
export function refundOf<R extends CheckRule>(rules: readonly R[], decision: CheckDecision): R[] {
  return rules.map((rule) => ({ ...rule, op: "refund", takenUs: decision.nowUs }));
}

/** One decision of groups that all were decided; else the failure of one that was not. */
export function merge(
  rules: readonly CheckRule[],
  taken: readonly Taken<CheckRule, CheckResult>[],
): CheckResult {
  const perRule: RuleOutcome[] = new Array(rules.length);
  let nowUs = 0;
  let source: CheckDecision["source"] = "redis";
  for (const { group, result } of taken) {
    if (result.verdict === "unavailable") return result;
    for (const [index, at] of group.at.entries()) {
      const outcome = result.perRule[index];
      if (outcome === undefined) return failure("error", "a rule was not decided");
      perRule[at] = outcome;
    }
    nowUs = Math.max(nowUs, result.nowUs);
    if (result.source === "local") source = "local";
  }
  const binding = bindingOutcome(perRule);
  const isRefused = taken.some(({ result }) => result.verdict === "refused");
  return { verdict: isRefused ? "refused" : "allowed", binding, perRule, nowUs, source };
}
