import { type BucketState, fullBucket, giveBack, refill, spend, type TokenBucket } from "./bucket";
import { type FleetLimit, type FleetPlan, planFleet } from "./fleet-plan";
import { MICRO } from "./micro";
import { NO_DEMAND, type PriorityRates, type Sheddable } from "./priority";
import { PRIORITIES, type Priority } from "./rule";

/** A gateway not heard for this long has no part in the plan. */
const HEARD_US = 5_000_000;
/** One that does not even hear itself this long is cut off. Less than above, or it would share out what others still use. */
const CUT_OFF_US = 2_500_000;
/** Whoever just joined or was just cut off takes no more than either plan gives: the others are not there yet. */
const TURNING_US = 2_000_000;

/**
 * Of a change in demand, what one interval takes over. What critical requests leave comes back slowly. The others are
 * smoothed alike both ways, or chance would raise their estimate.
 */
const RISE: Readonly<Record<Priority, number>> = {
  critical: 0.8,
  normal: 0.5,
  sheddable: 0.5,
  test: 0.5,
};
const FALL: typeof RISE = { ...RISE, critical: 0.3 };

/** Seconds of the allotment that a bucket saves up, and its least size in tokens. */
const BURST_SECONDS = 0.5;
const BURST_MIN = 4;
/** What must be left in the bucket for those who matter more, as a share of it. */
const KEPT: Readonly<Record<Priority, number>> = {
  critical: 0,
  normal: 0,
  sheddable: 1 / 3,
  test: 2 / 3,
};

export type FleetStatus = FleetPlan & {
  /** Whose demand the plan was made of; 1 and `isAlone` when this gateway hears nobody, not even itself. */
  gateways: number;
  isAlone: boolean;
  /** Of all of them, and of this gateway as it last measured it. */
  demand: PriorityRates;
  ownDemand: PriorityRates;
};

export type FleetShedder = {
  /** A changed rule: what is known of the demand and the tokens left stay. */
  setLimit(limit: FleetLimit, nowUs: number): void;
  /** Counts a request and says whether it may pass. A critical one always may. */
  offer(priority: Priority, nowUs: number): boolean;
  /** The request that was just offered and may pass does pass. */
  take(priority: Priority): void;
  /** A request did not reach the fleet after all: another rule refused it. `isTaken`: `take` was called for it. */
  undo(priority: Priority, isTaken: boolean): void;
  /** Once an interval: this gateway's demand, for all gateways to hear, itself among them. */
  measure(nowUs: number, fleetSize: number): PriorityRates;
  /** What a gateway told; null: it leaves. All plan from the same figures, so their parts add up. */
  hear(source: string, demand: PriorityRates | null, nowUs: number): void;
  /** Of a class, the part that must be refused. */
  shareOf(priority: Sheddable): number;
  status(): FleetStatus;
};

type Heard = { demand: PriorityRates; atUs: number };

/**
 * One gateway's part in a fleet rule. It knows no clock: times are µs of one that only rises. `self` is the name under
 * which the gateway hears its own demand; as long as it does not, it takes capacity / fleet size.
 */
export function createFleetShedder(
  limit: FleetLimit,
  { self, nowUs, fleetSize }: { self: string; nowUs: number; fleetSize: number },
): FleetShedder {
  let { capacity, reserve } = limit;
  let gateways = Math.max(1, fleetSize);
  const heard = new Map<string, Heard>();
  let link: "joined" | "alone" = "alone";
  let turnedUs = Number.NEGATIVE_INFINITY;
  let together = Number.POSITIVE_INFINITY;
  let offered = { ...NO_DEMAND };
  let measuredUs = nowUs;
  let own: PriorityRates | null = null;
  let plan: FleetPlan = planAlone();
  let bucket = bucketOf(plan.allotment);
  let state: BucketState = fullBucket(bucket, nowUs);

  function planAlone(): FleetPlan {
    const demand = own ?? NO_DEMAND;
    return planFleet({ capacity: capacity / gateways, reserve }, demand, [demand]);
  }

  function planNow(atUs: number): FleetPlan {
    const isTurning = atUs - turnedUs < TURNING_US;
    const alone = planAlone();
    if (link === "alone") {
      return isTurning ? { ...alone, allotment: Math.min(together, alone.allotment) } : alone;
    }
    const all = [...heard.values()].map(({ demand }) => demand);
    const shared = planFleet({ capacity, reserve }, heard.get(self)?.demand ?? NO_DEMAND, all);
    together = shared.allotment;
    return isTurning ? { ...shared, allotment: Math.min(together, alone.allotment) } : shared;
  }

  function replan(atUs: number): void {
    for (const [source, { atUs: heardUs }] of heard)
      if (atUs - heardUs > (source === self ? CUT_OFF_US : HEARD_US)) heard.delete(source);
    const next = heard.has(self) ? "joined" : "alone";
    if (next !== link) turnedUs = atUs;
    link = next;
    plan = planNow(atUs);
    // By the old rate up to here.
    state = refill(state, bucket, atUs);
    bucket = bucketOf(plan.allotment);
    state = refill(state, bucket, atUs);
  }

  return {
    setLimit: (next, atUs) => {
      if (next.capacity === capacity && next.reserve === reserve) return;
      ({ capacity, reserve } = next);
      replan(atUs);
    },
    offer: (priority, atUs) => {
      offered[priority] += 1;
      if (priority === "critical") return true;
      state = refill(state, bucket, atUs);
      return state.level >= MICRO + KEPT[priority] * (bucket.capacity - MICRO);
    },
    take: (priority) => {
      if (priority !== "critical") state = spend(state, MICRO);
    },
    undo: (priority, isTaken) => {
      offered[priority] -= 1;
      if (isTaken && priority !== "critical") state = giveBack(state, bucket, MICRO);
    },
    measure: (atUs, fleetSize) => {
      const seconds = Math.max(1, atUs - measuredUs) / MICRO;
      own = smoothed(own, offered, seconds);
      offered = { ...NO_DEMAND };
      measuredUs = atUs;
      gateways = Math.max(1, fleetSize);
      replan(atUs);
      return own;
    },
    hear: (source, demand, atUs) => {
      if (demand === null) heard.delete(source);
      else heard.set(source, { demand, atUs });
      replan(atUs);
    },
    shareOf: (priority) => plan.shed[priority],
    status: () => ({
      ...plan,
      gateways: Math.max(1, heard.size),
      isAlone: link === "alone",
      demand: sumOf([...heard.values()].map(({ demand }) => demand)),
      ownDemand: own ?? NO_DEMAND,
    }),
  };
}

/** Below this an old demand is forgotten: a request in 100 s. */
const NEGLIGIBLE = 0.01;

function smoothed(
  old: PriorityRates | null,
  offered: PriorityRates,
  seconds: number,
): PriorityRates {
  const rates = { ...NO_DEMAND };
  for (const priority of PRIORITIES) {
    const now = Math.max(0, offered[priority]) / seconds;
    const before = old?.[priority] ?? now;
    const next = before + (now > before ? RISE : FALL)[priority] * (now - before);
    rates[priority] = next < NEGLIGIBLE ? 0 : next;
  }
  return rates;
}

function sumOf(all: readonly PriorityRates[]): PriorityRates {
  const sum = { ...NO_DEMAND };
  for (const rates of all) for (const priority of PRIORITIES) sum[priority] += rates[priority];
  return sum;
}

/** Refilled each ms by whole micro-tokens: an allotment is no whole number, and may be 0. */
function bucketOf(allotment: number): TokenBucket {
  const burst = Math.max(BURST_MIN, allotment * BURST_SECONDS);
  return {
    algorithm: "token-bucket",
    rate: allotment,
    perSeconds: 1,
    burst,
    gain: Math.floor(allotment * 1000),
    periodUs: 1000,
    capacity: Math.floor(burst * MICRO),
  };
}
