import { expect, test } from "vitest";
import { createRendezvous } from "./rendezvous";
import { bucketKey, stateKey } from "./state-key";

const CLIENTS = 100_000;
const keys = Array.from({ length: CLIENTS }, (_, i) =>
  stateKey("production", i % 2 === 0 ? `key:k${i}` : `ip:198.18.${(i >> 8) & 255}.${i & 255}`),
);

function placesOf(names: readonly string[]): string[] {
  const placeOf = createRendezvous(names);
  return keys.map((key) => names[placeOf(key)] ?? "none");
}

test("each of four nodes holds a quarter of the clients, within three hundredths", () => {
  const places = placesOf(["a", "b", "c", "d"]);
  for (const name of ["a", "b", "c", "d"]) {
    const share = places.filter((place) => place === name).length / CLIENTS;
    expect(Math.abs(share - 0.25)).toBeLessThan(0.03);
  }
});

test.each([
  [["a", "b", "c", "d"], "e"],
  [["redis-1", "redis-2", "redis-3", "redis-4"], "redis-5"],
  [["eu-west.1", "eu-west.2", "us", "x"], "node_with_a_name_as_long_as_it_may"],
])("a fifth node beside %s moves 20 % of the clients, only to itself", (names, fifth) => {
  const before = placesOf(names);
  const after = placesOf([...names, fifth]);
  let moved = 0;
  for (const [index, place] of after.entries()) {
    if (place === before[index]) continue;
    expect(place).toBe(fifth);
    moved += 1;
  }
  expect(moved / CLIENTS).toBeGreaterThan(0.17);
  expect(moved / CLIENTS).toBeLessThan(0.23);
});

test("the order of the list does not matter", () => {
  expect(placesOf(["d", "a", "c", "b"])).toEqual(placesOf(["a", "b", "c", "d"]));
});

test("all buckets of a principal are placed together, whatever else their keys say", () => {
  const placeOf = createRendezvous(["a", "b", "c", "d", "e", "f", "g"]);
  const principal = "customer:acme";
  const places = Array.from({ length: 50 }, (_, slot) =>
    placeOf(bucketKey(`env-${slot}`, { principal, slot, rest: ["/v1/links", String(slot)] })),
  );
  expect(new Set(places).size).toBe(1);
});

test("placement is what it was: another release must not move anybody", () => {
  const placeOf = createRendezvous(["a", "b", "c", "d"]);
  const principals = ["key:k1", "key:k2", "ip:198.18.0.1", "customer:acme", "global:7", "_probe"];
  expect(
    principals.map((principal) => placeOf(stateKey("test", principal))),
  ).toMatchInlineSnapshot(`
    [
      0,
      3,
      3,
      1,
      2,
      0,
    ]
  `);
});

test("two nodes of one name are refused", () => {
  expect(() => createRendezvous(["a", "b", "a"])).toThrow(/got a and a/);
});
