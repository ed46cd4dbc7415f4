import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createInFlight, type InFlight } from "./in-flight";
import type { Lease } from "./lease";

const lease = (leaseId: string, leaseSeconds = 30): Lease => ({
  key: "hg:t:1:{key:a}:3",
  slot: 3,
  leaseId,
  leaseSeconds,
});

let said: string[] = [];
let inFlight: InFlight;
const names = (leases: readonly Lease[]) => leases.map(({ leaseId }) => leaseId).join(" ");

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  const startMs = Date.now();
  inFlight = createInFlight({
    clock: { nowMs: () => Date.now(), monotonicMs: () => Date.now() - startMs },
    holder: {
      hold: ({ leaseId }) => {
        said.push(`hold ${leaseId}`);
        return () => said.push(`let go ${leaseId}`);
      },
      release: (leases) => {
        said.push(`release ${names(leases)}`);
      },
      renew: (leases) => {
        said.push(`renew ${names(leases)}`);
      },
    },
  });
});

afterEach(() => {
  inFlight.close();
  vi.useRealTimers();
});

test("a request that ends twice is released once, and those of one turn together", () => {
  const first = inFlight.begin([lease("a"), lease("b")]);
  const second = inFlight.begin([lease("c")]);
  first.end();
  first.end();
  second.end();
  vi.runAllTicks();
  vi.advanceTimersByTime(1);
  expect(said).toEqual([
    "hold a",
    "hold b",
    "hold c",
    "let go a",
    "let go b",
    "let go c",
    "release a b c",
  ]);
  expect(inFlight.size).toBe(0);
});

test("a long request is renewed each third of its lease until it ends, and not after", () => {
  const long = inFlight.begin([lease("long", 30)]);
  const short = inFlight.begin([lease("short", 3)]);
  vi.advanceTimersByTime(2_500);
  short.end();
  vi.advanceTimersByTime(19_000);
  long.end();
  vi.advanceTimersByTime(60_000);
  expect(said.slice(2)).toEqual([
    "renew short",
    "renew short",
    "let go short",
    "release short",
    "renew long",
    "renew long",
    "let go long",
    "release long",
  ]);
});

test("what is charged after the request ended is released at once", () => {
  const flight = inFlight.begin([]);
  flight.end();
  flight.add([lease("late")]);
  vi.advanceTimersByTime(1);
  expect(said).toEqual(["release late"]);
});

test("without requests in flight no timer runs", () => {
  const flight = inFlight.begin([lease("a")]);
  expect(vi.getTimerCount()).toBe(1);
  flight.end();
  vi.advanceTimersByTime(1);
  expect(vi.getTimerCount()).toBe(0);
});
