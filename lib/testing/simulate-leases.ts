import type { Clock } from "@/lib/clock";
import { type TokenBucket, tokenBucket } from "@/lib/core/bucket";
import type { Rate } from "@/lib/core/limit";
import type { LimiterDecision } from "@/lib/limiter/fallback";
import { createMemoryCounters, type MemoryCounters } from "@/lib/limiter/memory-counters";
import { createMemoryStore } from "@/lib/limiter/memory-store";
import { createPrecision, type Precision } from "@/lib/limiter/precision";
import type { LimiterRule } from "@/lib/limiter/state-key";
import { createLog } from "@/lib/log";
import { poisson, type Random, seeded } from "./random";

const log = createLog({ name: "simulation", level: "silent" });
const START_US = 1_700_000_000_000_000;
const DEADLINE_US = 10_000;
/** Requests are drawn for steps of so long. */
const STEP_US = 1_000;

export type GatewayPlan = {
  /** Requests a second at an instant of the run, s. */
  load(atSeconds: number): number;
  /** Its clocks run so much faster than Redis's, -0.04..0.04, and its wall clock is so far off. */
  drift?: number;
  offsetMs?: number;
};

export type Plan = {
  seed: number;
  amount: Rate;
  seconds: number;
  gateways: GatewayPlan[];
  hotPerSecond?: number;
  /** Of each way, µs. */
  delayUs?: (random: Random) => number;
  /** Shares of calls whose request, or whose answer, is lost or comes seconds late. */
  lost?: number;
  late?: number;
  /** Crashes of a gateway, a second: it comes back at once and knows nothing. */
  crashes?: number;
  /** The bucket begins empty. */
  startsEmpty?: boolean;
};

export type Outcome = {
  offered: number;
  admitted: number;
  /** Calls that Redis saw. */
  calls: number;
  /** Most that was admitted beyond rate x T in any window, in tokens: at most the burst. */
  excess: number;
  /** Of each gateway. */
  admittedBy: number[];
  counters: MemoryCounters[];
  bucket: TokenBucket;
};

/** Gateways before one Redis, event by event, with clocks and a network of their own. The shipped code, but for I/O. */
export async function simulateLeases(plan: Plan): Promise<Outcome> {
  const random = seeded(plan.seed);
  const bucket = tokenBucket(plan.amount);
  const rule: LimiterRule = {
    ruleId: "hot",
    key: "hg:test:1:{key:k}",
    slot: 1,
    role: "enforced",
    limit: bucket,
    cost: 1,
    failMode: "local",
    precision: "leased",
  };
  let nowUs = START_US;
  const redis = createMemoryStore({
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    nowUs: () => nowUs,
  });
  if (plan.startsEmpty === true) redis.checkNow({ rules: [{ ...rule, cost: bucket.burst }] });
  const events = createEvents();
  const admitted: number[] = [];
  const admittedBy = plan.gateways.map(() => 0);
  let offered = 0;
  let calls = 0;
  const delayUs = plan.delayUs ?? ((draw) => 200 + 800 * draw());

  function ask(rules: readonly LimiterRule[]): Promise<LimiterDecision> {
    return new Promise((resolve) => {
      const isLost = random() < (plan.lost ?? 0);
      const isLate = random() < (plan.late ?? 0);
      const isAnswerLost = random() < (plan.lost ?? 0);
      const sentUs = nowUs;
      const thereUs = sentUs + Math.round(delayUs(random)) + (isLate ? random() * 3_000_000 : 0);
      if (!isLost)
        events.at(thereUs, () => {
          calls += 1;
          const result = redis.checkNow({ rules });
          if (result.verdict === "unavailable") throw new Error(result.message);
          const backUs = nowUs + Math.round(delayUs(random));
          if (!isAnswerLost && backUs <= sentUs + DEADLINE_US)
            events.at(backUs, () => resolve({ ...result, source: "redis", unchecked: [] }));
        });
      events.at(sentUs + DEADLINE_US, () => resolve(refusedLocally(rules, nowUs)));
    });
  }

  const gateways = plan.gateways.map((of) => new Gateway(of, () => nowUs, ask, plan));

  function arrive(index: number): void {
    offered += 1;
    const atUs = nowUs;
    const gateway = gateways[index];
    void gateway?.precision.check([rule]).then((decision) => {
      if (decision.verdict !== "allowed") return;
      admitted.push(decision.memory === undefined ? decision.nowUs : atUs);
      admittedBy[index] = (admittedBy[index] ?? 0) + 1;
    });
  }

  const endUs = START_US + plan.seconds * 1_000_000;
  for (let stepUs = START_US; stepUs < endUs; stepUs += STEP_US) {
    for (const [index, { load }] of plan.gateways.entries()) {
      const mean = (load((stepUs - START_US) / 1_000_000) * STEP_US) / 1_000_000;
      for (let left = poisson(mean, random); left > 0; left -= 1)
        events.at(stepUs + Math.floor(random() * STEP_US), () => arrive(index));
      if (random() < ((plan.crashes ?? 0) * STEP_US) / 1_000_000)
        events.at(stepUs, () => gateways[index]?.restart());
    }
    for (let next = events.next(stepUs + STEP_US); next !== null; ) {
      nowUs = Math.max(nowUs, next.atUs);
      next.run();
      // What a promise leads to happens before the next event.
      await Promise.resolve();
      next = events.next(stepUs + STEP_US);
      if (next === null || next.atUs > nowUs) await settled();
    }
  }
  await settled();
  return {
    offered,
    admitted: admitted.length,
    calls,
    excess: excessOf(admitted, bucket),
    admittedBy,
    counters: gateways.map(({ counters }) => counters),
    bucket,
  };
}

class Gateway {
  precision: Precision;
  readonly counters = createMemoryCounters();
  #bootUs: number;
  readonly #make: () => Precision;
  readonly #nowUs: () => number;

  constructor(
    { drift = 0, offsetMs = 0 }: GatewayPlan,
    nowUs: () => number,
    ask: (rules: readonly LimiterRule[]) => Promise<LimiterDecision>,
    { gateways, hotPerSecond = 50 }: Plan,
  ) {
    this.#nowUs = nowUs;
    this.#bootUs = nowUs();
    const clock: Clock = {
      nowMs: () => (START_US + (nowUs() - START_US) * (1 + drift)) / 1000 + offsetMs,
      monotonicMs: () => ((nowUs() - this.#bootUs) * (1 + drift)) / 1000,
    };
    this.#make = () =>
      createPrecision({
        ask,
        environment: "test",
        clock,
        fleetSize: () => gateways.length,
        counters: this.counters,
        leaseAbovePerSecond: hotPerSecond,
        log,
      });
    this.precision = this.#make();
  }

  restart(): void {
    this.#bootUs = this.#nowUs();
    this.precision = this.#make();
  }
}

/** As a gateway answers that has no share of its own. */
function refusedLocally(rules: readonly LimiterRule[], nowUs: number): LimiterDecision {
  const perRule = rules.map(({ ruleId, role }) => ({
    ruleId,
    role,
    allowed: false,
    charged: false,
    remaining: 0,
    resetMs: 1000,
    retryAfterMs: 1000,
  }));
  const binding = perRule[0] ?? null;
  return { verdict: "refused", binding, perRule, nowUs, source: "local", unchecked: [] };
}

/** Promises of the code under test follow each other a few times. */
async function settled(): Promise<void> {
  for (let i = 0; i < 12; i += 1) await Promise.resolve();
}

/** The greatest level of a bucket that leaks at the rate and takes in what was admitted. */
function excessOf(admittedUs: readonly number[], { rate, perSeconds }: TokenBucket): number {
  let level = 0;
  let lastUs = 0;
  let most = 0;
  for (const atUs of [...admittedUs].sort((a, b) => a - b)) {
    level = Math.max(0, level - ((atUs - lastUs) * rate) / (perSeconds * 1_000_000)) + 1;
    lastUs = atUs;
    most = Math.max(most, level);
  }
  return most;
}

type Event = { atUs: number; order: number; run(): void };

/** In order of time, then of being asked for. A heap. */
function createEvents() {
  const heap: Event[] = [];
  let order = 0;
  const before = (a: Event, b: Event) =>
    a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);

  function swap(i: number, j: number): void {
    const [a, b] = [heap[i], heap[j]];
    if (a === undefined || b === undefined) return;
    heap[i] = b;
    heap[j] = a;
  }

  function isBefore(i: number, j: number): boolean {
    const [a, b] = [heap[i], heap[j]];
    return a !== undefined && b !== undefined && before(a, b);
  }

  return {
    at(atUs: number, run: () => void): void {
      order += 1;
      heap.push({ atUs, order, run });
      for (let i = heap.length - 1; i > 0; ) {
        const parent = (i - 1) >> 1;
        if (!isBefore(i, parent)) break;
        swap(i, parent);
        i = parent;
      }
    },
    /** The next before an instant. */
    next(beforeUs: number): Event | null {
      const first = heap[0];
      if (first === undefined || first.atUs >= beforeUs) return null;
      const last = heap.pop();
      if (last !== undefined && last !== first) heap[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2]) if (isBefore(child, least)) least = child;
        if (least === i) return first;
        swap(i, least);
        i = least;
      }
    },
  };
}
