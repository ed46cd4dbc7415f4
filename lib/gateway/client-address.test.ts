import type { IncomingMessage } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { AddressHeader } from "../core/identity-settings";
import { ipClientId } from "../core/ip";
import { createClientAddress, type TrustProxy } from "./client-address";

const PEER = "10.0.0.1";
const oneHop: TrustProxy = { kind: "hops", count: 1 };
const ours: TrustProxy = { kind: "networks", cidrs: ["10.0.0.0/8", "::1/128"] };

function read(
  trust: TrustProxy,
  headers: Partial<Record<AddressHeader, string>>,
  { peer = PEER, header = "x-forwarded-for" as AddressHeader } = {},
) {
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  return createClientAddress(trust)(request, header);
}

function clientOf(trust: TrustProxy, forwardedFor: string | undefined, peer = PEER) {
  const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  const { address, isJunk } = read(trust, headers, { peer });
  return { client: ipClientId(address, 64), isJunk };
}

describe("C1: every spelling of an address is one client", () => {
  test.each([
    "203.0.113.7:51234",
    "203.0.113.7",
    " 203.0.113.7 ",
    "::ffff:203.0.113.7",
    "::ffff:cb00:7107",
  ])("%j is 203.0.113.7", (text) => {
    expect(clientOf(oneHop, text)).toEqual({ client: "ip:203.0.113.7", isJunk: false });
  });

  test.each(["[2001:db8:7::1]:443", "[2001:db8:7::2]", "2001:db8:7::3"])(
    "%j is in 2001:db8:7::/64",
    (text) => {
      expect(clientOf(oneHop, text)).toEqual({ client: "ip:2001:db8:7::/64", isJunk: false });
    },
  );

  test("the zone of a link-local address is dropped", () => {
    expect(clientOf(oneHop, "fe80::1%eth0").client).toBe("ip:fe80::/64");
  });

  test.each(["unknown", "203.0.113.7.evil", "203.0.113.07", "_hidden", "[::1"])(
    "%j is no address: the peer is the client, and it is counted",
    (text) => {
      expect(clientOf(oneHop, text)).toEqual({ client: `ip:${PEER}`, isJunk: true });
    },
  );

  test.each([", 203.0.113.7", "203.0.113.7, ", "203.0.113.7,,"])("%j is one entry", (text) => {
    expect(clientOf(oneHop, text)).toEqual({ client: "ip:203.0.113.7", isJunk: false });
  });

  test.each([undefined, "", "  ", ","])("%j is no list: the peer is the client", (text) => {
    expect(clientOf(oneHop, text)).toEqual({ client: `ip:${PEER}`, isJunk: false });
  });

  test("400 entries are read from their trustworthy end", () => {
    const list = Array.from({ length: 400 }, (_, i) => `198.51.100.${i % 250}`).join(", ");
    expect(clientOf(oneHop, `${list}, 203.0.113.9`).client).toBe("ip:203.0.113.9");
    expect(clientOf(ours, `${list}, 203.0.113.9, 10.1.1.1`).client).toBe("ip:203.0.113.9");
  });
});

describe("whose word is taken", () => {
  test.each([
    ["nobody's by default", { kind: "none" } as TrustProxy, "203.0.113.7", PEER, `ip:${PEER}`],
    ["not a stranger's", ours, "203.0.113.7", "198.51.100.1", "ip:198.51.100.1"],
    ["a trusted network's", ours, "203.0.113.7", PEER, "ip:203.0.113.7"],
    ["what a client made up stays behind", ours, "1.1.1.1, 203.0.113.7", PEER, "ip:203.0.113.7"],
    ["trusted proxies are skipped", ours, "203.0.113.7, 10.9.9.9", PEER, "ip:203.0.113.7"],
    ["only proxies: the furthest", ours, "10.0.0.7, 10.0.0.8", PEER, "ip:10.0.0.7"],
    ["IPv4 as IPv6 is the same peer", ours, "203.0.113.7", "::ffff:10.0.0.1", "ip:203.0.113.7"],
    [
      "two hops",
      { kind: "hops", count: 2 } as TrustProxy,
      "1.1.1.1, 2.2.2.2, 3.3.3.3",
      PEER,
      "ip:2.2.2.2",
    ],
    [
      "fewer than the hops",
      { kind: "hops", count: 3 } as TrustProxy,
      "1.1.1.1",
      PEER,
      "ip:1.1.1.1",
    ],
  ])("%s", (_name, trust, list, peer, client) => {
    expect(clientOf(trust, list, peer).client).toBe(client);
  });

  test("junk to the left of the client is not looked at", () => {
    expect(clientOf(ours, "junk, 203.0.113.7")).toEqual({
      client: "ip:203.0.113.7",
      isJunk: false,
    });
  });
});

describe("Forwarded, where the settings name it", () => {
  const forwardedBy = (trust: TrustProxy, text: string, peer = PEER) => {
    const { address, isJunk, proto, host } = read(
      trust,
      { forwarded: text, "x-forwarded-for": "9.9.9.9" },
      { peer, header: "forwarded" },
    );
    return { client: ipClientId(address, 64), isJunk, proto, host };
  };
  const said = (client: string, more = {}) => ({
    client,
    isJunk: false,
    proto: null,
    host: null,
    ...more,
  });

  test.each([
    ["for=203.0.113.7", said("ip:203.0.113.7")],
    ["For=203.0.113.7:4711", said("ip:203.0.113.7")],
    ['for="203.0.113.7:_hid"', said("ip:203.0.113.7")],
    ['for="[2001:db8:7::1]:443"', said("ip:2001:db8:7::/64")],
    ['for="[2001:db8:7::2]"', said("ip:2001:db8:7::/64")],
    ["for=2001:db8:7::3", said("ip:2001:db8:7::/64")],
    ['for="[::ffff:203.0.113.7]"', said("ip:203.0.113.7")],
    ['for="[::ffff:cb00:7107]:80"', said("ip:203.0.113.7")],
    [
      "for=1.1.1.1;proto=http, for=203.0.113.7;proto=https;host=api.example",
      {
        ...said("ip:203.0.113.7", { proto: "https", host: "api.example" }),
      },
    ],
    [
      "for=203.0.113.7;proto=https, for=10.0.0.9;proto=http",
      said("ip:203.0.113.7", { proto: "https" }),
    ],
    ['for="1.1.1.1, for=203.0.113.7', said("ip:203.0.113.7")],
    ["for=1.1.1.1, , for=203.0.113.7,", said("ip:203.0.113.7")],
  ])("%s", (text, expected) => {
    expect(forwardedBy(ours, text)).toEqual(expected);
  });

  test.each([
    "for=unknown",
    "for=_hidden",
    'for="_SEVKISEK"',
    "for=203.0.113.07",
    "for=",
    'for=""',
    "for",
    "proto=https",
    "for=1.1.1.1;for=2.2.2.2",
    'for="1.1.1.1',
    "for = 1.1.1.1",
    "203.0.113.7",
    "for=203.0.113.7, junk",
    "for=203.0.113.7, for=10.0.0.9;=x",
  ])("%j names nobody: the peer is the client, and it is counted", (text) => {
    expect(forwardedBy(ours, text)).toEqual({ ...said(`ip:${PEER}`), isJunk: true });
  });

  test("is not believed from a stranger, and X-Forwarded-For is not read instead", () => {
    expect(forwardedBy(ours, "for=203.0.113.7", "198.51.100.1")).toEqual(said("ip:198.51.100.1"));
    expect(forwardedBy(ours, "")).toEqual(said(`ip:${PEER}`));
  });

  test("hops are counted in elements", () => {
    const two: TrustProxy = { kind: "hops", count: 2 };
    const list = 'for=1.1.1.1, for="2.2.2.2:80", for=3.3.3.3';
    expect(forwardedBy(two, list)).toEqual(said("ip:2.2.2.2"));
  });
});

test("while X-Forwarded-For is read, Forwarded is not: a proxy may pass on a client's own", () => {
  const { address } = read(ours, { forwarded: "for=1.1.1.1", "x-forwarded-for": "203.0.113.7" });
  expect(address.toString()).toBe("203.0.113.7");
  expect(read(ours, { forwarded: "for=1.1.1.1" }).address.toString()).toBe(PEER);
});

test("the chain is what trusted hops said, without the client's own words", () => {
  const chainOf = (list: string, peer = PEER) =>
    read(ours, { "x-forwarded-for": list }, { peer }).chain;
  expect(chainOf("1.1.1.1, 203.0.113.7, 10.0.0.9")).toBe("203.0.113.7, 10.0.0.9");
  expect(chainOf("1.1.1.1, junk")).toBe("");
  expect(chainOf("203.0.113.7", "198.51.100.1")).toBe("");
  const forwarded = 'for="1.1.1.1, for=203.0.113.7;proto=https, for=10.0.0.9';
  expect(read(ours, { forwarded }, { header: "forwarded" }).chain).toBe(
    "for=203.0.113.7;proto=https, for=10.0.0.9",
  );
});

test("an address that is remembered keeps nothing of the header it stood in", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const clientAddress = createClientAddress(oneHop);
  const ask = (i: number) => {
    const list = Buffer.alloc(16_000, "x, ").toString("latin1");
    const headers = { "x-forwarded-for": `${list}, 198.51.${100 + (i >> 8)}.${i & 255}` };
    const request = { socket: { remoteAddress: PEER }, headers };
    clientAddress(request as unknown as IncomingMessage, "x-forwarded-for");
  };
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 2_000; i += 1) ask(i);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
});
