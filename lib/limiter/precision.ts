import type { Clock } from "@/lib/clock";
import { quotaOf } from "@/lib/core/bucket-limit";
import { bindingOutcome } from "@/lib/core/check";
import type { Log } from "@/lib/log";
import { createApproximate, type FromViews, isApproximate } from "./approximate";
import { ALL_CHECKED, type LimiterDecision, type LimiterOutcome } from "./fallback";
import { isCharged } from "./groups";
import { flightOf } from "./in-flight";
import { createKnownEmpty } from "./known-empty";
import { type AskedLeases, createLeaseBook } from "./lease-book";
import type { MemoryCounters, MemoryKind } from "./memory-counters";
import { createRedisTime } from "./redis-time";
import { countsInFlight, type LimiterRule, stateKey } from "./state-key";

type Ask = (rules: readonly LimiterRule[]) => Promise<LimiterDecision>;

export type Precision = {
  /** Decides from memory what can be, and asks for the rest. */
  check: Ask;
  /**
   * After a publish or an override: nothing is known to be empty. What is held goes with its limit, what is counted
   * goes on. After a reset: nothing is known, held or counted of this principal's buckets.
   */
  forget(principal?: string): void;
  /** Rules whose buckets get back what they gave, as another shard refused. */
  givenBack(rules: readonly LimiterRule[]): void;
  /** Tells Redis what was counted ahead of it. */
  flush(): Promise<void>;
  close(): void;
};

type Options = {
  /** Decides by Redis, or alone where it does not answer. */
  ask: Ask;
  environment: string;
  clock: Clock;
  fleetSize: () => number;
  counters: MemoryCounters;
  /** Checks a second of one bucket at this gateway, from which on it is leased. */
  leaseAbovePerSecond: number;
  log: Log;
};

/** Stands in front of a limiter: refuses what is known to be empty, spends leases, counts approximate rules. */
export function createPrecision(options: Options): Precision {
  const { ask, environment, clock, fleetSize, counters, leaseAbovePerSecond, log } = options;
  const redisTime = createRedisTime();
  const redisUs = () => redisTime.at(clock.monotonicMs());
  const knownEmpty = createKnownEmpty();
  const leases = createLeaseBook({
    clock,
    gateways: fleetSize,
    hotPerSecond: leaseAbovePerSecond,
    counters,
  });
  const approximate = createApproximate({
    ask: observed,
    clock,
    redisUs,
    gateways: fleetSize,
    counters,
  });

  async function observed(rules: readonly LimiterRule[]): Promise<LimiterDecision> {
    const sentMs = clock.monotonicMs();
    const decision = await ask(rules);
    const receivedMs = clock.monotonicMs();
    if (decision.source !== "redis") return decision;
    redisTime.observe({ sentMs, receivedMs, redisUs: decision.nowUs });
    knownEmpty.learn(rules, decision.perRule, { sentMs, receivedMs });
    return decision;
  }

  /** Of `rules` those that go to Redis, with what memory wants to know. */
  async function askRedis(rules: readonly LimiterRule[]): Promise<LimiterDecision> {
    const asked = leases.ask(rules);
    let decision: LimiterDecision;
    try {
      decision = await observed(tellingRules(asked.rules));
    } catch (error) {
      asked.answered(null);
      throw error;
    }
    take(decision, rules, asked);
    // Shadow rules on other shards.
    if (decision.later !== undefined) void takeLater(decision, rules, asked);
    else asked.answered(null);
    return decision;
  }

  function take(
    { source, perRule }: LimiterDecision,
    rules: readonly LimiterRule[],
    asked: AskedLeases,
  ): void {
    const isShared = source === "redis";
    asked.answered(isShared ? perRule : null);
    if (isShared) approximate.learn(rules, perRule);
  }

  /** Only what was not told before: a state told twice would count as what is there now. */
  async function takeLater(
    now: LimiterDecision,
    rules: readonly LimiterRule[],
    asked: AskedLeases,
  ): Promise<void> {
    const last = (await now.later) ?? now;
    const perRule = last.perRule.map((outcome, i) => {
      const { state: _told, ...rest } = outcome;
      return now.perRule[i]?.unasked === true ? outcome : rest;
    });
    take({ ...last, perRule }, rules, asked);
    asked.answered(null);
  }

  function checkAhead(
    rules: readonly LimiterRule[],
    nowMs: number,
  ): LimiterDecision | Promise<LimiterDecision> {
    const views = rules.some(isApproximate) ? approximate.judge(rules) : null;
    const rest = views === null ? rules : rules.filter((_, i) => views.outcomes[i] === undefined);
    if (views?.decision.verdict === "refused") return refusedByViews(rules, rest, views, nowMs);
    const from = leases.judge(rest, {
      findEmpty: (rule) => knownEmpty.find(rule, nowMs),
      hasCandidate: (rule) => hasPair(rules, rule),
    });
    if (from.answer === "ask") return refusedAsEmpty(rules, nowMs) ?? askRest(rules, rest, views);
    const outcomes = spread(rules, rest, from.settle());
    for (const lease of leases.due(from.charged)) void prefetch(lease);
    if (from.answer === "refuse")
      return withAfter(refused("leased", { rules, known: outcomes, nowMs }), rules, from.after);
    views?.charge();
    const merged = rules.map((rule, i) => views?.outcomes[i] ?? outcomes[i] ?? passing(rule));
    const kind = views !== null && from.charged.length === 0 ? "approximate" : "leased";
    return withAfter(decided(kind, "allowed", merged), rules, from.after);
  }

  /** A refusal by a rule with a candidate is for Redis to say: it charges the candidate. */
  function refusedAsEmpty(
    rules: readonly LimiterRule[],
    nowMs: number,
  ): Promise<LimiterDecision> | null {
    if (knownEmpty.size === 0) return null;
    const isEmpty = rules.some(
      (rule) =>
        rule.role === "enforced" &&
        knownEmpty.find(rule, nowMs) !== undefined &&
        !hasPair(rules, rule),
    );
    if (!isEmpty) return null;
    return Promise.resolve(refused("known-empty", { rules, known: [], nowMs }));
  }

  function refusedByViews(
    rules: readonly LimiterRule[],
    rest: readonly LimiterRule[],
    views: FromViews,
    nowMs: number,
  ): LimiterDecision | Promise<LimiterDecision> {
    const refusing = rules.filter((_, i) => refuses(views.outcomes[i]));
    const candidate = refusing.length === 1 ? rest.find((rule) => isPair(rule, refusing[0])) : null;
    const hasCandidate = refusing.length === 1 && hasPair(rules, refusing[0]);
    // Whether it is to be charged is also for the rules to say of which nothing is known.
    if (hasCandidate && rest.some(({ role }) => role === "enforced")) return askRedis(rules);
    views.charge();
    const decision = refused("approximate", { rules, known: views.outcomes, nowMs });
    return withAfter(decision, rules, candidate ? [candidate] : []);
  }

  /** Shadow rules that memory cannot decide are off the answer's path, like those on other shards. */
  function withAfter(
    now: LimiterDecision,
    rules: readonly LimiterRule[],
    after: readonly LimiterRule[],
  ): LimiterDecision {
    if (after.length === 0) return now;
    const perRule = now.perRule.map((outcome, i) => {
      const rule = rules[i];
      return rule !== undefined && after.includes(rule)
        ? { ...outcome, unasked: true as const }
        : outcome;
    });
    const asked = askRedis(after);
    const decision = {
      ...now,
      perRule,
      later: afterwards({ ...now, perRule }, { rules, after }, asked),
    };
    if (!after.some(countsInFlight)) return decision;
    const flight = flightOf(asked);
    if (now.verdict === "allowed") return { ...decision, flight };
    // A candidate may have let it pass.
    flight.end();
    return decision;
  }

  async function afterwards(
    now: LimiterDecision,
    { rules, after }: { rules: readonly LimiterRule[]; after: readonly LimiterRule[] },
    asked: Promise<LimiterDecision>,
  ): Promise<LimiterDecision> {
    try {
      const first = await asked;
      const { perRule } = (await first.later) ?? first;
      const known = spread(rules, after, perRule);
      return { ...now, perRule: now.perRule.map((outcome, i) => known[i] ?? outcome) };
    } catch (error) {
      log.error({ error }, "shadow rules could not be asked after the answer");
      return now;
    }
  }

  /** What views say is counted first, and taken back for what another rule refuses. */
  async function askRest(
    rules: readonly LimiterRule[],
    rest: readonly LimiterRule[],
    views: FromViews | null,
  ): Promise<LimiterDecision> {
    views?.charge();
    const decision = await askRedis(rest);
    if (views === null) return decision;
    const refusing = new Set(decision.perRule.filter(refuses).map(({ ruleId }) => ruleId));
    if (decision.verdict === "refused") views.giveBack((rule) => isCharged(rule, refusing));
    const merged = (of: LimiterDecision): LimiterDecision => {
      const perRule = spread(rules, rest, of.perRule).map(
        (outcome, i) => outcome ?? views.outcomes[i],
      );
      const outcomes = perRule.flatMap(present);
      return { ...of, perRule: outcomes, binding: bindingOutcome(outcomes.filter(isAsked)) };
    };
    const { later } = decision;
    return later === undefined
      ? merged(decision)
      : { ...merged(decision), later: later.then(merged) };
  }

  async function prefetch(lease: AskedLeases): Promise<void> {
    counters.prefetches += 1;
    try {
      const { source, perRule } = await observed(lease.rules);
      lease.answered(source === "redis" ? perRule : null);
    } catch (error) {
      log.error({ error }, "a lease could not be asked for");
      lease.answered(null);
    }
  }

  /**
   * Nothing enforced is charged. Rules of which nothing is known count as passed, else the request would be
   * missing in their counts: the binding rule has the longest wait of those that surely refuse, and another may refuse
   * after it.
   */
  function refused(
    kind: MemoryKind,
    { rules, known, nowMs }: { rules: readonly LimiterRule[]; known: Known; nowMs: number },
  ): LimiterDecision {
    const perRule = rules.map(
      (rule, i) => known[i] ?? knownEmpty.find(rule, nowMs) ?? passing(rule),
    );
    return decided(kind, "refused", perRule);
  }

  function decided(
    memory: MemoryKind,
    verdict: LimiterDecision["verdict"],
    perRule: LimiterOutcome[],
  ): LimiterDecision {
    counters.decisions[memory] += 1;
    return {
      verdict,
      binding: bindingOutcome(perRule),
      perRule,
      nowUs: redisUs() ?? clock.nowMs() * 1000,
      source: "redis",
      unchecked: ALL_CHECKED,
      memory,
    };
  }

  return {
    check(rules) {
      const nowMs = clock.monotonicMs();
      if (!rules.every(isExact)) return Promise.resolve(checkAhead(rules, nowMs));
      return refusedAsEmpty(rules, nowMs) ?? observed(rules);
    },
    forget(principal) {
      const nowMs = clock.monotonicMs();
      const key = principal === undefined ? undefined : stateKey(environment, principal);
      knownEmpty.forget(nowMs, key);
      if (key === undefined) return;
      leases.forget(key);
      approximate.forget(key);
    },
    givenBack: (rules) => knownEmpty.givenBack(rules, clock.monotonicMs()),
    flush: approximate.flush,
    close: () => approximate.close(),
  };
}

type Known = readonly (LimiterOutcome | undefined)[];

function isExact({ precision }: LimiterRule): boolean {
  return precision === undefined || precision === "exact";
}

/** A candidate has the id of its live rule. */
function hasPair(rules: readonly LimiterRule[], rule: LimiterRule | undefined): boolean {
  return rules.some((other) => isPair(other, rule));
}

function isPair(other: LimiterRule, rule: LimiterRule | undefined): boolean {
  return other !== rule && other.ruleId === rule?.ruleId;
}

function refuses(outcome: LimiterOutcome | undefined): boolean {
  return outcome?.role === "enforced" && !outcome.allowed;
}

function isAsked({ unasked }: LimiterOutcome): boolean {
  return unasked !== true;
}

function present(outcome: LimiterOutcome | undefined): LimiterOutcome[] {
  return outcome === undefined ? [] : [outcome];
}

/** Approximate rules that go to Redis bring their state back. */
function tellingRules(rules: readonly LimiterRule[]): readonly LimiterRule[] {
  if (!rules.some(isApproximate)) return rules;
  return rules.map((rule) => (isApproximate(rule) ? { ...rule, tells: true } : rule));
}

/** Outcomes of some rules, at the places of those in the request. */
function spread(
  rules: readonly LimiterRule[],
  some: readonly LimiterRule[],
  outcomes: Known,
): (LimiterOutcome | undefined)[] {
  if (some.length === rules.length) return [...outcomes];
  return rules.map((rule) => outcomes[some.indexOf(rule)]);
}

function passing({ ruleId, role, limit }: LimiterRule): LimiterOutcome {
  const full = { remaining: quotaOf(limit), resetMs: 0, retryAfterMs: 0 };
  return { ruleId, role, allowed: true, charged: false, ...full };
}
