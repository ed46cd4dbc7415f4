import type { Clock } from "@/lib/clock";
import type { CheckDecision, RuleOutcome } from "@/lib/core/check";
import { judge } from "@/lib/core/decide";
import { count, nextSyncMs, replace, turn, uncount, type View, windowOf } from "./approximate-view";
import { bucketName, isBucketOf } from "./bucket-name";
import type { LimiterDecision } from "./fallback";
import type { MemoryCounters } from "./memory-counters";
import type { LimiterRule } from "./state-key";

/** About 500 bytes each. A bucket beyond is asked like an exact one. */
const VIEWS_MAX = 20_000;
/** At a time; the rest is due again at once. */
const SYNCS_MAX = 256;
/** The timer looks for what is due no more and no less often. */
const TICK_MIN_MS = 10;
const TICK_MAX_MS = 200;
/** Of the script's u32. */
const TOLD_MAX = 4_000_000_000;

/** What the approximate rules of a request say here. */
export type FromViews = {
  /** In the order of the rules it was asked for; undefined for one that has no view. */
  outcomes: readonly (RuleOutcome | undefined)[];
  decision: CheckDecision;
  /** Counts what passed. */
  charge(): void;
  /** Takes it back for the rules that were not to be charged after all. */
  giveBack(isCharged: (rule: LimiterRule) => boolean): void;
};

export type Approximate = {
  /** Null when none of the rules has a view. */
  judge(rules: readonly LimiterRule[]): FromViews | null;
  /** Makes or renews views by what Redis told of rules. */
  learn(rules: readonly LimiterRule[], outcomes: readonly RuleOutcome[]): void;
  /** Tells Redis what is due; resolves when it answered. */
  syncDue(): Promise<void>;
  /** Tells Redis all that is counted here, due or not, each bucket once; resolves when it answered. */
  flush(): Promise<void>;
  /** What is counted is still told; the answer then says what is there. */
  forget(stateKey: string): void;
  close(): void;
};

type Deps = {
  ask(rules: readonly LimiterRule[]): Promise<LimiterDecision>;
  clock: Clock;
  /** Redis's clock, µs; undefined before its first answer. */
  redisUs: () => number | undefined;
  gateways: () => number;
  counters: MemoryCounters;
  /** 0..1, for the jitter. */
  random?: () => number;
  maxViews?: number;
};

/** Counts ahead of Redis: rules of any algorithm, told to it each second and corrected by its answer. */
export function createApproximate(deps: Deps): Approximate {
  const { ask, clock, redisUs, gateways, counters } = deps;
  const { random = Math.random, maxViews = VIEWS_MAX } = deps;
  const views = new Map<string, View>();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function findView(rule: LimiterRule): View | undefined {
    if (!isApproximate(rule)) return undefined;
    const view = views.get(bucketName(rule));
    if (view === undefined || view.isLost) return undefined;
    adopt(view, rule);
    return view;
  }

  /** A publish, an override, or another plan that shares the bucket: what is counted goes on, and is told no later. */
  function adopt(view: View, rule: LimiterRule): void {
    if (view.limit === rule.limit) return;
    view.limit = rule.limit;
    view.rule = toldRule(rule);
    const nowUs = redisUs() ?? 0;
    const dueMs = nextSyncMs(view, { nowMs: clock.monotonicMs(), nowUs, random });
    view.dueMs = Math.min(view.dueMs, dueMs);
  }

  function turnTo(view: View, nowUs: number): void {
    counters.discardedTokens += turn(view, nowUs);
  }

  function schedule(): void {
    if (timer !== undefined || isClosed || views.size === 0) return;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const view of views.values()) dueMs = Math.min(dueMs, view.dueMs);
    const inMs = Math.min(TICK_MAX_MS, Math.max(TICK_MIN_MS, dueMs - clock.monotonicMs()));
    timer = setTimeout(() => {
      timer = undefined;
      void syncDue();
      schedule();
    }, inMs);
    timer.unref();
  }

  function syncDue(): Promise<void> {
    const nowMs = clock.monotonicMs();
    const syncs: Promise<void>[] = [];
    for (const [name, view] of views) {
      if (view.dueMs > nowMs || view.isSyncing) continue;
      if (!view.isUsed && view.pending === 0) views.delete(name);
      else if (syncs.length < SYNCS_MAX) syncs.push(sync(view));
    }
    return all(syncs);
  }

  async function all(syncs: readonly Promise<void>[]): Promise<void> {
    const done = Promise.all(syncs).then(() => {});
    running.add(done);
    await done;
    running.delete(done);
  }

  async function flush(): Promise<void> {
    await Promise.all(running);
    const left = [...views.values()].filter((view) => view.pending > 0 && !view.isSyncing);
    for (let at = 0; at < left.length; at += SYNCS_MAX)
      await all(left.slice(at, at + SYNCS_MAX).map(sync));
  }

  async function sync(view: View): Promise<void> {
    const startUs = redisUs();
    if (startUs !== undefined) turnTo(view, startUs);
    const told = Math.min(view.pending, TOLD_MAX);
    view.pending -= told;
    view.inFlight = told;
    view.isSyncing = true;
    view.isUsed = false;
    const { windowUs } = view;
    const outcome = await tell(view.rule, told);
    view.isSyncing = false;
    view.inFlight = 0;
    const nowUs = redisUs() ?? 0;
    turnTo(view, nowUs);
    view.dueMs = nextSyncMs(view, { nowMs: clock.monotonicMs(), nowUs, random });
    counters.syncs += 1;
    if (outcome?.state === undefined) {
      counters.failedSyncs += 1;
      view.isLost = true;
      if (view.windowUs === windowUs) view.pending += told;
      else counters.discardedTokens += told;
      return;
    }
    replace(view, outcome.state, nowUs);
    measure(view.rule.ruleId, told, outcome.lacked ?? 0);
  }

  /** Null when Redis did not take it. */
  async function tell(rule: LimiterRule, cost: number): Promise<RuleOutcome | null> {
    try {
      const { source, perRule } = await ask([{ ...rule, cost }]);
      return source === "redis" ? (perRule[0] ?? null) : null;
    } catch {
      return null;
    }
  }

  function measure(ruleId: string, counted: number, lacked: number): void {
    const held = counters.overshoot.get(ruleId) ?? { counted: 0, overshoot: 0, bound: 0 };
    counters.overshoot.set(ruleId, held);
    held.counted += counted;
    held.overshoot += Math.min(counted, lacked);
    held.bound += counted * Math.max(1, gateways());
  }

  function learnOne(rule: LimiterRule, { state }: RuleOutcome, nowUs: number): void {
    if (state === undefined) return;
    const name = bucketName(rule);
    const held = views.get(name);
    if (held !== undefined) {
      adopt(held, rule);
      turnTo(held, nowUs);
      replace(held, state, nowUs);
      held.isUsed = true;
      return;
    }
    if (views.size >= maxViews) return;
    const { limit } = rule;
    const view: View = {
      rule: toldRule(rule),
      limit,
      state,
      pending: 0,
      inFlight: 0,
      windowUs: windowOf(state, limit, nowUs),
      isSyncing: false,
      isLost: false,
      isUsed: true,
      dueMs: nextSyncMs({ limit }, { nowMs: clock.monotonicMs(), nowUs, random }),
    };
    views.set(name, view);
    schedule();
  }

  return {
    judge(rules) {
      const held = rules.map(findView);
      const nowUs = redisUs();
      if (nowUs === undefined || held.every((view) => view === undefined)) return null;
      const own: { rule: LimiterRule; view: View; at: number }[] = [];
      for (const [at, view] of held.entries()) {
        const rule = rules[at];
        if (view === undefined || rule === undefined) continue;
        turnTo(view, nowUs);
        view.isUsed = true;
        own.push({ rule, view, at });
      }
      const decision = judge({
        rules: own.map(({ rule }) => rule),
        present: own.map(({ view }) => view.state),
        nowUs,
        source: "redis",
      });
      const outcomes: (RuleOutcome | undefined)[] = rules.map(() => undefined);
      for (const [index, { at }] of own.entries()) outcomes[at] = decision.perRule[index];
      const charged = own.filter((_, index) => decision.perRule[index]?.charged === true);
      return {
        outcomes,
        decision,
        charge() {
          for (const { rule, view } of charged) count(view, rule.cost);
        },
        giveBack(isCharged) {
          for (const { rule, view } of charged)
            if (!isCharged(rule)) uncount(view, rule.cost, nowUs);
        },
      };
    },
    learn(rules, outcomes) {
      const nowUs = redisUs();
      if (nowUs === undefined) return;
      for (const [index, rule] of rules.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined && isApproximate(rule)) learnOne(rule, outcome, nowUs);
      }
    },
    syncDue,
    flush,
    forget(stateKey) {
      const nowMs = clock.monotonicMs();
      for (const [name, view] of views) {
        if (!isBucketOf(name, stateKey)) continue;
        view.isLost = true;
        view.isUsed = true;
        view.dueMs = nowMs;
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

export function isApproximate({ precision }: LimiterRule): boolean {
  return precision === "approximate";
}

/** As a sync sends it. Where Redis does not answer, there is nothing to decide. */
function toldRule(rule: LimiterRule): LimiterRule {
  return { ...rule, op: "force", role: "enforced", tells: true, failMode: "open" };
}
