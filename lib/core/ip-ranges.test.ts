import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isInCidr, parseCidr, parseIp } from "./ip";
import { addressKey, compileRanges, parseNetworks } from "./ip-ranges";

function contains(ranges: readonly string[], address: string): boolean {
  const parsed = parseIp(address);
  if (parsed === null) throw new Error(`${address} is no address`);
  return compileRanges(parseNetworks(ranges))(addressKey(parsed));
}

describe("an address is in a range", () => {
  test.each([
    [["198.51.100.0/24"], "198.51.100.7", true],
    [["198.51.100.0/24"], "198.51.101.7", false],
    [["198.51.100.7"], "198.51.100.7", true],
    [["198.51.100.0/24", "203.0.113.0/25"], "203.0.113.127", true],
    [["203.0.113.0/25"], "203.0.113.128", false],
    [["0.0.0.0/0"], "203.0.113.128", true],
    [["0.0.0.0/0"], "2001:db8::1", false],
    [["2001:db8::/33"], "2001:db8:7fff::1", true],
    [["2001:db8::/33"], "2001:db8:8000::1", false],
    [["203.0.113.0/24"], "::ffff:203.0.113.7", true],
    [[], "203.0.113.7", false],
    [["nonsense"], "203.0.113.7", false],
  ])("%j and %s: %s", (ranges, address, expected) => {
    expect(contains(ranges, address)).toBe(expected);
  });
});

test("many ranges together say what each says alone", () => {
  const near = fc.tuple(fc.constantFrom(198, 203), fc.nat(3), fc.nat(3), fc.nat(255));
  const v4 = near.map((parts) => parts.join("."));
  const word = fc.constantFrom("0", "1", "7fff", "8000", "ffff");
  const v6 = fc.tuple(word, word, word).map(([a, b, c]) => `${a}:${b}::${c}`);
  const address = fc.oneof(v4, v6);
  const range = fc.oneof(
    fc.tuple(v4, fc.integer({ min: 0, max: 32 })).map((pair) => pair.join("/")),
    fc.tuple(v6, fc.integer({ min: 0, max: 128 })).map((pair) => pair.join("/")),
  );
  fc.assert(
    fc.property(fc.array(range), address, (ranges, text) => {
      const parsed = parseIp(text);
      const alone = ranges.some((one) => {
        const cidr = parseCidr(one);
        return parsed !== null && cidr !== null && isInCidr(parsed, cidr);
      });
      expect(contains(ranges, text)).toBe(alone);
    }),
  );
});
