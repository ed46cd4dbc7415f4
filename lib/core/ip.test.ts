import { describe, expect, test } from "vitest";
import { parseClientId } from "./client-id";
import { canonicalIp, ipClientId, isInCidr, parseCidr, parseIp } from "./ip";

describe("parseIp", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["2001:DB8:0:0::1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
  ])("%s reads as %s", (text, canonical) => {
    expect(parseIp(text)?.toString()).toBe(canonical);
  });

  test.each([
    "203.0.113.07",
    "203.0.113",
    "0x7f.1",
    "2130706433",
    "203.0.113.7.evil",
    "unknown",
    "",
    " 203.0.113.7",
    "1.2.3.4:80",
    "[::1]",
    ":::",
    "-",
  ])("%j is no address", (text) => {
    expect(parseIp(text)).toBeNull();
  });
});

test("a prefix is written with its host bits cleared", () => {
  expect(canonicalIp("2001:db8:7::1/64")).toBe("2001:db8:7::/64");
  expect(canonicalIp("198.51.100.77/24")).toBe("198.51.100.0/24");
  expect(canonicalIp("198.51.100.77/33")).toBeNull();
  expect(canonicalIp("198.51.100.77/")).toBeNull();
  expect(canonicalIp("::ffff:198.51.100.77/120")).toBe("198.51.100.0/24");
  expect(canonicalIp("::ffff:198.51.100.77/24")).toBeNull();
});

test("a prefix of one address is written as the address, as clients are", () => {
  expect(canonicalIp("198.51.100.77/32")).toBe("198.51.100.77");
  expect(canonicalIp("2001:DB8::1/128")).toBe("2001:db8::1");
});

test("an IPv6 client is its network, an IPv4 client its address", () => {
  const v6 = parseIp("2001:db8:7::1");
  const v4 = parseIp("203.0.113.7");
  expect(v6 && ipClientId(v6, 64)).toBe("ip:2001:db8:7::/64");
  expect(v6 && ipClientId(v6, 60)).toBe("ip:2001:db8:7::/60");
  expect(v6 && ipClientId(v6, 128)).toBe("ip:2001:db8:7::1");
  expect(v4 && ipClientId(v4, 64)).toBe("ip:203.0.113.7");
});

describe("isInCidr", () => {
  test.each([
    ["198.51.100.7", "198.51.100.0/24", true],
    ["198.51.101.7", "198.51.100.0/24", false],
    ["198.51.100.129", "198.51.100.128/25", true],
    ["198.51.100.127", "198.51.100.128/25", false],
    ["203.0.113.7", "0.0.0.0/0", true],
    ["2001:db8::1", "0.0.0.0/0", false],
    ["2001:db8:0:1::1", "2001:db8::/47", true],
    ["::ffff:198.51.100.7", "198.51.100.7", true],
    ["198.51.100.7", "::ffff:198.51.100.0/120", true],
  ])("%s in %s: %s", (address, cidr, expected) => {
    const ip = parseIp(address);
    const range = parseCidr(cidr);
    expect(ip !== null && range !== null && isInCidr(ip, range)).toBe(expected);
  });
});

describe("parseClientId", () => {
  test.each([
    ["key:a1b2", "key:a1b2"],
    ["customer:acme", "customer:acme"],
    ["ip:198.18.0.1", "ip:198.18.0.1"],
    ["ip:2001:DB8::1/64", "ip:2001:db8::/64"],
  ])("%s is %s", (text, id) => {
    expect(parseClientId(text)).toBe(id);
  });

  test.each(["", "a1b2", "key:", "key:A1", "key:a_b", "plan:free", "ip:unknown", "key:a:b"])(
    "%j is no client id",
    (text) => {
      expect(parseClientId(text)).toBeNull();
    },
  );
});
