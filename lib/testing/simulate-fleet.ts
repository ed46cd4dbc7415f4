import { DEMAND_INTERVAL_US, type FleetLimit } from "../core/fleet-plan";
import { NO_DEMAND, type PriorityRates } from "../core/priority";
import { PRIORITIES, type Priority } from "../core/rule";
import { createFleetShedder, type FleetShedder } from "../core/shedder-fleet";
import { poisson, seeded } from "./random";

const MS = 1000;

type Input = {
  limit: FleetLimit;
  seconds: number;
  /** Requests a second that arrive at a gateway in that second. */
  arrivals(gateway: number, second: number): Partial<PriorityRates>;
  gateways: number;
  fleetSize?: number;
  /** False: the exchange is down for this gateway. */
  isLinked?(gateway: number, second: number): boolean;
  /** Of those refused, how many come back 1..4 s later. */
  retries?: number;
  seed?: number;
};

type Tally = Record<Priority, number>;
export type SimulatedSecond = {
  offered: Tally;
  admitted: Tally;
  byGateway: Tally[];
  allotted: number;
};

/** Gateways with random arrivals that tell each other their demand, late by 2..50 ms and each by its own clock. */
export function simulateFleet(input: Input): SimulatedSecond[] {
  const { limit, seconds, gateways, fleetSize = gateways, retries = 0 } = input;
  const random = seeded(input.seed ?? 1);
  const shedders = Array.from({ length: gateways }, (_, i) =>
    createFleetShedder(limit, { self: `g${i}`, nowUs: 0, fleetSize }),
  );
  const dueMs = shedders.map(() => random() * 1000);
  const mail: { atMs: number; to: FleetShedder; from: string; demand: PriorityRates }[] = [];
  const comeBack = new Map<number, [gateway: number, priority: Priority][]>();
  const timeline: SimulatedSecond[] = [];

  for (let ms = 0; ms < seconds * 1000; ms += 1) {
    const second = Math.floor(ms / 1000);
    if (ms % 1000 === 0) timeline.push(newSecond(shedders));
    const now = timeline[second];
    if (now === undefined) break;
    for (let i = mail.length - 1; i >= 0; i -= 1) {
      const letter = mail[i];
      if (letter === undefined || letter.atMs > ms) continue;
      letter.to.hear(letter.from, letter.demand, ms * MS);
      mail.splice(i, 1);
    }
    for (const [g, shedder] of shedders.entries()) {
      if ((dueMs[g] ?? 0) > ms) continue;
      dueMs[g] = ms + (DEMAND_INTERVAL_US / MS) * (0.8 + 0.4 * random());
      const demand = shedder.measure(ms * MS, fleetSize);
      const isLinked = (i: number) => input.isLinked?.(i, second) ?? true;
      if (!isLinked(g)) continue;
      for (const [i, to] of shedders.entries())
        if (isLinked(i)) mail.push({ atMs: ms + 2 + 48 * random(), to, from: `g${g}`, demand });
    }
    const arrive = (g: number, priority: Priority) => {
      const shedder = shedders[g];
      const tally = now.byGateway[g];
      if (shedder === undefined || tally === undefined) return;
      now.offered[priority] += 1;
      if (shedder.offer(priority, ms * MS)) {
        shedder.take(priority);
        now.admitted[priority] += 1;
        tally[priority] += 1;
      } else if (random() < retries) {
        const later = ms + 1000 + Math.floor(3000 * random());
        comeBack.set(later, [...(comeBack.get(later) ?? []), [g, priority]]);
      }
    };
    for (const [g, priority] of comeBack.get(ms) ?? []) arrive(g, priority);
    comeBack.delete(ms);
    for (let g = 0; g < gateways; g += 1) {
      const rates = input.arrivals(g, second);
      for (const priority of PRIORITIES) {
        const count = poisson((rates[priority] ?? 0) / 1000, random);
        for (let i = 0; i < count; i += 1) arrive(g, priority);
      }
    }
  }
  return timeline;
}

function newSecond(shedders: readonly FleetShedder[]): SimulatedSecond {
  return {
    offered: { ...NO_DEMAND },
    admitted: { ...NO_DEMAND },
    byGateway: shedders.map(() => ({ ...NO_DEMAND })),
    allotted: shedders.reduce((sum, shedder) => sum + shedder.status().allotment, 0),
  };
}

/** All that is not critical. */
export function sheddableOf(tally: PriorityRates): number {
  return tally.normal + tally.sheddable + tally.test;
}
