import { quotaOf } from "@/lib/core/bucket-limit";
import { bindingOutcome, type CheckResult } from "@/lib/core/check";
import type { Log } from "@/lib/log";
import { ALL_CHECKED, type LimiterDecision, type LimiterOutcome } from "./fallback";
import { type Group, isCharged, type Taken, takeAll } from "./groups";
import { leasesOf } from "./lease";
import { askPlace, refundOf } from "./places";
import type { Refunds } from "./refunds";
import type { Router } from "./router";
import type { LimiterRule } from "./state-key";

type Deps = {
  router: Router;
  refunds: Refunds;
  /** The decision about no rule. */
  nothingToCheck(): LimiterDecision;
  log: Log;
};

type RuleGroup = Group<LimiterRule>;
type Known = Taken<LimiterRule, LimiterDecision>;

export type GroupDecider = {
  /** Of one place. */
  one(group: Pick<RuleGroup, "place" | "rules">, leaseId?: string): Promise<LimiterDecision>;
  /** Of several: reserved in parallel; shadow rules that stand alone come after the answer. */
  all(
    rules: readonly LimiterRule[],
    groups: readonly RuleGroup[],
    leaseId?: string,
  ): Promise<LimiterDecision>;
};

/** Decides rules that no single call can, as one call would have. */
export function createGroupDecider({ router, refunds, nothingToCheck, log }: Deps): GroupDecider {
  async function one(
    { place, rules }: Pick<RuleGroup, "place" | "rules">,
    leaseId?: string,
  ): Promise<LimiterDecision> {
    const request = leaseId === undefined ? { rules } : { rules, leaseId };
    const result: CheckResult = await askPlace(router, place, request);
    if (result.verdict !== "unavailable") return { ...result, unchecked: ALL_CHECKED };
    return router.memberAt(place).decideLocally(rules, leaseId);
  }

  function giveBack(rules: readonly LimiterRule[], { group, result }: Known): void {
    const refund = refundOf(rules, result);
    if (result.source === "local") router.memberAt(group.place).refundLocally(refund);
    else refunds.give(group.place, refund);
  }

  async function askAfter(
    now: LimiterDecision,
    groups: readonly RuleGroup[],
    leaseId: string | undefined,
  ): Promise<LimiterDecision> {
    try {
      const results = await Promise.all(groups.map((group) => one(group, leaseId)));
      return withKnown(
        now,
        results.map((result, index) => ({ result, at: groups[index]?.at ?? [] })),
      );
    } catch (error) {
      log.error({ error }, "shadow rules could not be asked after the answer");
      return now;
    }
  }

  return {
    one,
    async all(rules, groups, leaseId) {
      const first = groups.filter(isDeciding);
      const { taken, refusing } = await takeAll(first, {
        take: (group) => one(group, leaseId),
        giveBack: (returned, known) => {
          if (leaseId !== undefined)
            void router.memberAt(known.group.place).leases.release(leasesOf(returned, leaseId));
          giveBack(returned, known);
        },
      });
      const decided = withKnown(
        { ...nothingToCheck(), perRule: rules.map(unasked) },
        taken.map(({ group, result }) => ({ result, at: group.at })),
      );
      const now: LimiterDecision = {
        ...decided,
        verdict: refusing.size === 0 ? "allowed" : "refused",
        binding: bindingOutcome(decided.perRule.filter((outcome) => outcome.unasked !== true)),
      };
      const after = groups.flatMap((group) =>
        isDeciding(group) ? [] : keepOnly(group, (rule) => isCharged(rule, refusing)),
      );
      return after.length === 0 ? now : { ...now, later: askAfter(now, after, leaseId) };
    },
  };
}

function isDeciding({ rules }: RuleGroup): boolean {
  return rules.some(({ role }) => role === "enforced");
}

/** The group without the rules that are not to be asked; none without any. */
function keepOnly(
  { place, rules, at }: RuleGroup,
  keeps: (rule: LimiterRule) => boolean,
): RuleGroup[] {
  const kept = rules.flatMap((rule, index) => (keeps(rule) ? [{ rule, at: at[index] ?? 0 }] : []));
  if (kept.length === 0) return [];
  return [{ place, rules: kept.map(({ rule }) => rule), at: kept.map(({ at }) => at) }];
}

function unasked({ ruleId, role, limit }: LimiterRule): LimiterOutcome {
  const full = { remaining: quotaOf(limit), resetMs: 0, retryAfterMs: 0 };
  return { ruleId, role, allowed: true, charged: false, ...full, unasked: true };
}

/** The decision with what groups said of their rules; `at` says where those stand. */
function withKnown(
  decision: LimiterDecision,
  known: readonly { result: LimiterDecision; at: readonly number[] }[],
): LimiterDecision {
  if (known.length === 0) return decision;
  const perRule = [...decision.perRule];
  for (const { result, at } of known) {
    for (const [index, outcome] of result.perRule.entries()) {
      const position = at[index];
      if (position !== undefined) perRule[position] = outcome;
    }
  }
  const unchecked = known.flatMap(({ result }) => result.unchecked);
  const isLocal = known.some(({ result }) => result.source === "local");
  return {
    ...decision,
    perRule,
    unchecked: unchecked.length === 0 ? decision.unchecked : [...decision.unchecked, ...unchecked],
    nowUs: known[0]?.result.nowUs ?? decision.nowUs,
    source: isLocal ? "local" : decision.source,
  };
}
