import { createDemandRecorder, type Demand } from "./backtest-demand";
import { createEncounters, type Encounter, type RuleTally } from "./backtest-encounters";
import { planDemands } from "./backtest-proposal";
import type {
  BacktestOptions,
  BacktestRequest,
  BacktestResult,
  BacktestRule,
} from "./backtest-result";
import { createBacktestTally, MINUTE_MS } from "./backtest-tally";
import { BucketCells } from "./bucket-cells";
import { createCheckInPlace } from "./check-in-place";
import type { Lane } from "./counts";
import { durationSeconds } from "./duration";
import { amountsOf, type Limit } from "./limit";
import type { CompiledRule, RulesetIndex } from "./ruleset-index";
import { TimeOrder } from "./time-order";

const DAY_SECONDS = 86_400;
const WINDOW_REQUESTS = 50_000;
const TOP_CLIENTS = 20;
const BUCKETS_MAX = 200_000;

export type Backtest = {
  add(request: BacktestRequest): void;
  push(requests: Iterable<BacktestRequest>): void;
  /** Decides what is still held back; nothing can be pushed afterwards. */
  result(): BacktestResult;
  /** With the option `demand`, of what was decided: for `estimateLimit`; null of a rule that is not judged. */
  demandOf(rule: string, lane: Lane): Demand | null;
};

/**
 * Runs recorded requests through a ruleset, in the order of their times, with the index and the arithmetic that
 * gateways have: one store, exact, nobody's overrides.
 */
export function createBacktest(ruleset: RulesetIndex, options: BacktestOptions = {}): Backtest {
  const {
    windowRequests = WINDOW_REQUESTS,
    topClients = TOP_CLIENTS,
    sampling = 1,
    speed = 1,
    bucketsMax = BUCKETS_MAX,
    demand = false,
  } = options;
  const order = new TimeOrder<Encounter>();
  const total = createBacktestTally(topClients);
  const rules = new Map<string, RuleTally>();
  for (const compiled of ruleset.rules)
    if (!isLeftOut(compiled))
      rules.set(nameOf(compiled), {
        compiled,
        alsoRefused: 0,
        tally: createBacktestTally(topClients),
        recorder:
          demand === true || demand === compiled.id
            ? createDemandRecorder({ windowMs: windowMsOf(compiled.rule.limit) })
            : null,
      });
  const cells = new BucketCells();
  const encounters = createEncounters({
    ruleset,
    cells,
    total,
    ruleOf: (compiled) => (isLeftOut(compiled) ? undefined : rules.get(nameOf(compiled))),
    waiting: () => order.waiting(),
    bucketsMax,
  });
  const { isAllowed, passes } = createCheckInPlace(cells);
  const counts = { outOfOrder: 0, tooLate: 0, unreadable: 0, listAllowed: 0, listDenied: 0 };
  let newestMs = Number.NEGATIVE_INFINITY;
  let fromMs: number | null = null;
  let reachedMs = Number.NEGATIVE_INFINITY;

  /** The first request keeps its time, so that windows of the calendar begin where the recording does. */
  function scaled(firstMs: number, atMs: number): number {
    return speed === 1 ? atMs : firstMs + (atMs - firstMs) / speed;
  }

  function decideOne(encounter: Encounter): void {
    reachedMs = Math.max(order.takenMs, reachedMs);
    fromMs ??= reachedMs;
    const atMs = scaled(fromMs, reachedMs);
    const minute = Math.floor(atMs / MINUTE_MS);
    const { ruling, rows, met } = encounter;
    if (ruling !== null) {
      if (ruling === "allow") counts.listAllowed += 1;
      else counts.listDenied += 1;
      total.count(rows, minute, ruling === "deny" ? 1 : 0);
      return;
    }
    const nowUs = Math.round(atMs * 1000);
    const isRefused = !isAllowed(met, nowUs);
    total.count(rows, minute, isRefused ? 1 : 0);
    for (let i = 0; i < met.length; i += 1) {
      const one = met[i];
      if (one === undefined) continue;
      const isHit = passes[i] === false;
      const isAlso = isHit && isRefused && one.check.role === "shadow";
      if (isAlso) one.rule.alsoRefused += 1;
      one.rule.tally.count(one.rows, minute, isHit && !isAlso ? 1 : 0);
      one.rule.recorder?.count(one.asked, atMs, one.cost);
    }
    // Only now: what this request meant is among nobody's waiting.
    encounters.sweep(nowUs);
  }

  function add(request: BacktestRequest): void {
    const encounter = encounters.of(request);
    if (encounter === null) {
      counts.unreadable += 1;
      return;
    }
    const { atMs, cost } = request;
    if (atMs < newestMs) counts.outOfOrder += 1;
    if (atMs < reachedMs) counts.tooLate += 1;
    newestMs = Math.max(newestMs, atMs);
    order.add(cost === undefined ? encounter : costing(encounter, cost), atMs);
    if (order.size <= windowRequests) return;
    const first = order.take();
    if (first !== undefined) decideOne(first);
  }

  return {
    add,
    push(requests) {
      for (const request of requests) add(request);
    },
    result() {
      for (let next = order.take(); next !== undefined; next = order.take()) decideOne(next);
      return {
        ...total.figures(),
        fromMs,
        toMs: fromMs === null ? null : scaled(fromMs, reachedMs),
        sampling,
        ...counts,
        rules: [...rules.values()].map(ruleResult),
        notSimulated: ruleset.rules.filter(isLeftOut).map(({ id, rule }) => ({
          rule: id,
          why: `kind ${rule.limit.kind} depends on how long requests take or how busy gateways are, which the requests do not say`,
        })),
      };
    },
    demandOf: (rule, lane) => rules.get(`${lane} ${rule}`)?.recorder?.demand() ?? null,
  };
}

/** Where a rule's cost is a header's word, that. */
function costing(encounter: Encounter, cost: number): Encounter {
  const met = encounter.met.map((one) => (one.takesTold ? { ...one, cost } : one));
  return { ...encounter, met };
}

function ruleResult({ compiled, alsoRefused, tally, recorder }: RuleTally): BacktestRule {
  const { id, revision, lane, mode, rule } = compiled;
  const figures = { rule: id, revision, lane, mode, alsoRefused, ...tally.figures() };
  if (recorder === null || rule.limit.kind !== "rate") return figures;
  return { ...figures, demand: planDemands(recorder.demand(), rule.limit) };
}

/** The shortest interval that a rule has for any plan. */
function windowMsOf(limit: Limit): number {
  const { perPlan, anonymous, default: others } = amountsOf(limit);
  const seconds = [...Object.values(perPlan), anonymous, others].flatMap((amount) =>
    amount === undefined || amount === "unlimited" || !("per" in amount)
      ? []
      : [durationSeconds(amount.per) ?? DAY_SECONDS],
  );
  return 1000 * Math.min(DAY_SECONDS, ...seconds);
}

/** Of a candidate its share's clients meet it enforced, the others in shadow: figures of their own. */
function nameOf({ id, lane }: CompiledRule): string {
  return `${lane} ${id}`;
}

function isLeftOut({ rule }: CompiledRule): boolean {
  return rule.limit.kind !== "rate";
}
