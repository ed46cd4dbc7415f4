import { expect, test } from "vitest";
import { addressOf, nameOf, placeIn } from "./cluster-address";

const seed = {
  host: "redis.example",
  port: 6379,
  username: "gate",
  password: "p@ss",
  database: 0,
  tls: true,
};

test.each([
  ["10.0.0.2:7001", { host: "10.0.0.2", port: 7001 }],
  [":7001", { host: "10.0.0.1", port: 7001 }],
  ["2001:db8::2:7001", { host: "2001:db8::2", port: 7001 }],
  ["node-2.example:7001", { host: "node-2.example", port: 7001 }],
])("a redirection to %s", (address, place) => {
  expect(placeIn(address, { name: "10.0.0.1:7000" })).toEqual(place);
});

test("an IPv6 node that leaves out its host is where it was asked", () => {
  expect(nameOf(placeIn(":7001", { name: "2001:db8::1:7000" }))).toBe("2001:db8::1:7001");
});

test("a node is reached as the first seed is, by its certificate's name if it is named by IP", () => {
  expect(addressOf({ host: "10.0.0.2", port: 7001 }, [seed])).toEqual({
    ...seed,
    host: "10.0.0.2",
    port: 7001,
    serverName: "redis.example",
  });
  expect(addressOf({ host: "node-2.example", port: 7001 }, [seed])).toEqual({
    ...seed,
    host: "node-2.example",
    port: 7001,
  });
});

test("a seed's own user and password are kept", () => {
  const other = { ...seed, host: "10.0.0.2", port: 7001, username: "other" };
  expect(addressOf({ host: "10.0.0.2", port: 7001 }, [seed, other])).toBe(other);
});
