import { describe, expect, test } from "vitest";
import { type SimulatedSecond, sheddableOf, simulateFleet } from "../testing/simulate-fleet";
import { turns } from "../testing/turns";
import type { FleetLimit } from "./fleet-plan";
import type { PriorityRates } from "./priority";
import { createFleetShedder } from "./shedder-fleet";

const limit: FleetLimit = { kind: "fleet", capacity: 1000, reserve: 20 };
const ALLOWED = 800;
/** A gateway gets this part of the traffic. */
const PARTS = [0.7, 0.2, 0.1];
/** Seconds from a step until the plan has followed it. */
const SETTLE = 5;

const partOf = (gateway: number, rates: Partial<PriorityRates>): Partial<PriorityRates> =>
  Object.fromEntries(
    Object.entries(rates).map(([priority, rate]) => [priority, rate * (PARTS[gateway] ?? 0)]),
  );
const sum = (seconds: SimulatedSecond[], of: (second: SimulatedSecond) => number) =>
  seconds.reduce((total, second) => total + of(second), 0);
const admitted = ({ admitted }: SimulatedSecond) => sheddableOf(admitted);

describe("a step from half to six times the load, three gateways with 70, 20 and 10 % of it", () => {
  const STEP = 15;
  const load = (second: number) => (second < STEP ? 1 : 12);
  const timeline = simulateFleet({
    limit,
    gateways: 3,
    seconds: 45,
    retries: 0.8,
    arrivals: (gateway, second) => ({
      ...partOf(gateway, {
        normal: 200 * load(second),
        sheddable: 100 * load(second),
        test: 100 * load(second),
      }),
      ...partOf(gateway, { critical: 50 }),
    }),
  });
  const before = timeline.slice(SETTLE, STEP);
  const after = timeline.slice(STEP + SETTLE);

  test("below the limit nothing is shed", () => {
    const offered = sum(before, (second) => sheddableOf(second.offered));
    expect(sum(before, admitted) / offered).toBeGreaterThan(0.999);
  });

  test("no critical request is ever refused", () => {
    for (const { offered, admitted } of timeline) expect(admitted.critical).toBe(offered.critical);
  });

  test("after it settled the admitted rate stays within 3 % of what is allowed and does not swing", () => {
    for (const second of after) {
      expect(admitted(second)).toBeGreaterThan(0.97 * ALLOWED);
      expect(admitted(second)).toBeLessThan(1.03 * ALLOWED);
    }
    expect(turns(after.map(admitted), 0.02 * ALLOWED)).toBeLessThanOrEqual(1);
    for (const gateway of PARTS.keys()) {
      const own = after
        .map(({ byGateway }) => byGateway[gateway])
        .map((t) => (t ? sheddableOf(t) : 0));
      expect(turns(own, 0.05 * ALLOWED)).toBe(0);
    }
  });

  test("from the first second on no more passes than is allowed and half a second's burst", () => {
    let since = 0;
    for (const [i, second] of timeline.slice(STEP).entries()) {
      since += admitted(second);
      expect(since).toBeLessThanOrEqual(1.01 * ALLOWED * (i + 1) + ALLOWED / 2);
    }
  });

  test("what matters less is refused first", () => {
    const of = (priority: "normal" | "sheddable" | "test") =>
      sum(after, (second) => second.admitted[priority]);
    expect(of("normal")).toBeGreaterThan(0.999 * sum(after, admitted));
    expect(of("sheddable") + of("test")).toBeLessThan(0.001 * sum(after, admitted));
  });
});

test("gateways with one class each: the dearer classes pass whole, at least 95 % of the allowed rate is used", () => {
  const timeline = simulateFleet({
    limit,
    gateways: 3,
    seconds: 60,
    arrivals: (gateway) => [{ test: 1000 }, { normal: 600 }, { sheddable: 100 }][gateway] ?? {},
  });
  const after = timeline.slice(SETTLE);
  const share = (priority: "normal" | "sheddable") =>
    sum(after, (second) => second.admitted[priority]) /
    sum(after, (second) => second.offered[priority]);
  expect(share("normal")).toBeGreaterThan(0.99);
  expect(share("sheddable")).toBeGreaterThan(0.98);
  expect(sum(after, admitted) / after.length).toBeGreaterThan(0.95 * ALLOWED);
  expect(sum(after, admitted) / after.length).toBeLessThanOrEqual(ALLOWED);
});

test("a rise of critical demand takes its capacity within two seconds and gives it back slowly", () => {
  const timeline = simulateFleet({
    limit,
    gateways: 3,
    seconds: 40,
    arrivals: (gateway, second) =>
      partOf(gateway, {
        critical: second >= 10 && second < 20 ? 700 : 100,
        normal: 600,
        test: 400,
      }),
  });
  for (const second of timeline.slice(13, 20))
    expect(admitted(second) + second.admitted.critical).toBeLessThan(1.05 * limit.capacity);
  const back = timeline.slice(20, 30).map(admitted);
  expect(back[0]).toBeLessThan(0.6 * ALLOWED);
  expect(back.findIndex((rate) => rate > 0.95 * ALLOWED)).toBeGreaterThanOrEqual(3);
  expect(sum(timeline.slice(30), admitted) / 10).toBeGreaterThan(0.97 * ALLOWED);
  expect(turns(timeline.slice(20).map(admitted), 0.1 * ALLOWED)).toBe(0);
});

test("a gateway that nobody hears takes capacity / fleet size, and none takes more than all may", () => {
  const timeline = simulateFleet({
    limit,
    gateways: 4,
    seconds: 40,
    isLinked: (_, second) => second < 10 || second >= 25,
    arrivals: (gateway) => ({ normal: gateway === 0 ? 2000 : 100 }),
  });
  const cutOff = timeline.slice(17, 25);
  for (const { byGateway } of cutOff) {
    expect(byGateway[0]?.normal).toBeGreaterThan(0.95 * (ALLOWED / 4));
    expect(byGateway[0]?.normal).toBeLessThan(1.05 * (ALLOWED / 4));
    expect(byGateway[1]?.normal).toBeGreaterThan(60);
  }
  for (const { allotted } of timeline) expect(allotted).toBeLessThan(1.01 * ALLOWED);
  const again = timeline.slice(31);
  expect(sum(again, admitted) / again.length).toBeGreaterThan(0.95 * ALLOWED);
});

describe("one gateway", () => {
  const SECOND = 1_000_000;
  const limited = (capacity: number, reserve = 0) =>
    createFleetShedder({ kind: "fleet", capacity, reserve }, { self: "a", nowUs: 0, fleetSize: 1 });

  test("a request that another rule refused gives its token and its demand back", () => {
    const shedder = limited(8);
    for (let i = 0; i < 100; i += 1) {
      expect(shedder.offer("normal", 0)).toBe(true);
      shedder.take("normal");
      shedder.undo("normal", true);
    }
    expect(shedder.measure(SECOND, 1)).toEqual({ critical: 0, normal: 0, sheddable: 0, test: 0 });
  });

  test("a test request finds the bucket empty while a normal one does not", () => {
    const shedder = limited(8);
    const passed = { test: 0, sheddable: 0, normal: 0 };
    for (const priority of ["test", "sheddable", "normal"] as const)
      while (shedder.offer(priority, 0)) {
        shedder.take(priority);
        passed[priority] += 1;
      }
    expect(passed).toEqual({ test: 2, sheddable: 1, normal: 1 });
  });

  test("a gateway that left or was not heard for 5 s has no part any more", () => {
    const shedder = limited(1000);
    const demand = { critical: 0, normal: 500, sheddable: 0, test: 0 };
    const hear = (second: number, sources: string[]) => {
      for (const source of sources) shedder.hear(source, demand, second * SECOND);
      return shedder.status();
    };
    for (let second = 0; second < 4; second += 1) hear(second, ["a", "b", "c"]);
    expect(hear(4, ["a", "b", "c"])).toMatchObject({ gateways: 3, isAlone: false });
    expect(shedder.status().allotment).toBeCloseTo(1000 / 3);
    shedder.hear("c", null, 4 * SECOND);
    expect(shedder.status().allotment).toBeCloseTo(500);
    expect(hear(8.9, ["a"])).toMatchObject({ gateways: 2 });
    expect(hear(9.1, ["a"])).toMatchObject({ gateways: 1, allotment: 1000 });
    shedder.measure(20 * SECOND, 2);
    expect(shedder.status()).toMatchObject({ isAlone: true, allotment: 500 });
  });

  test("a changed capacity goes on from the tokens that are left", () => {
    const shedder = limited(1000);
    while (shedder.offer("normal", 0)) shedder.take("normal");
    shedder.setLimit({ kind: "fleet", capacity: 100_000, reserve: 0 }, 0);
    expect(shedder.offer("normal", 0)).toBe(false);
    expect(shedder.offer("normal", 1000)).toBe(true);
  });
});
