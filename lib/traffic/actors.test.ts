import { expect, test } from "vitest";
import { DEMO_KEYS, demoPlan } from "../core/demo-keys";
import { type Actor, createActors, type Random } from "./actors";

const MINUTES = 20;
const clients = Array.from({ length: DEMO_KEYS }, (_, i) => ({ key: `k${i}`, plan: demoPlan(i) }));

/** A linear congruence: the same traffic at each run. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function perMinute(actor: Actor): number {
  const random = seeded(7);
  let sent = 0;
  for (let atMs = 0; atMs < MINUTES * 60_000; sent += 1) atMs += actor.next(random).waitMs;
  return sent / MINUTES;
}

const rates = createActors(clients).map((actor) => ({ actor, rate: perMinute(actor) }));

test("the whole is 30 to 60 requests a second: light enough to run beside everything else", () => {
  const total = rates.reduce((sum, { rate }) => sum + rate, 0) / 60;
  expect(total).toBeGreaterThan(30);
  expect(total).toBeLessThan(60);
});

test("people stay below their plan's 60, 600 and 6,000 a minute", () => {
  const people = rates.filter(({ actor }) => actor.isPolite);
  expect(people).toHaveLength(98);
  for (const { actor, rate } of people) {
    const [plan = ""] = actor.name.split("-");
    expect(rate).toBeGreaterThan(5);
    expect(rate).toBeLessThan({ free: 45, paid: 500, enterprise: 5_000 }[plan] ?? 0);
  }
});

test("a script runs away on a free key, another bursts, and a scanner has no key", () => {
  const others = rates.filter(({ actor }) => !actor.isPolite);
  expect(others.map(({ actor }) => actor.key === null)).toEqual([false, false, true]);
  const [runaway, burster, scanner] = others.map(({ rate }) => rate);
  expect(runaway).toBeGreaterThan(150);
  expect(burster).toBeGreaterThan(90);
  expect(scanner).toBeGreaterThan(150);
});
