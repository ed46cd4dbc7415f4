import { describe, expect, test } from "vitest";
import { tokenBucketRule } from "../testing/rules";
import { amountsOf } from "./limit";
import { fieldErrors } from "./parse";
import { RuleSchema } from "./rule";

const rule = tokenBucketRule();

function errorsOf(fields: Record<string, unknown>): string[] {
  const result = RuleSchema.safeParse({ ...rule, ...fields });
  if (result.success) return [];
  return fieldErrors(result.error).map(({ path, message }) => `${path}: ${message}`);
}

const limit = (amount: Record<string, unknown>) => ({
  limit: { ...rule.limit, default: { rate: 60, per: "1m", burst: 60, ...amount } },
});

describe("a wrong field is refused with what was received and what is allowed", () => {
  test.each<[Record<string, unknown>, string]>([
    [
      limit({ rate: 3_000_000_000 }),
      "limit.default.rate: rate must be a whole number 1..1000000000, got 3000000000",
    ],
    [
      limit({ rate: 1e15 }),
      "limit.default.rate: rate must be a whole number 1..1000000000, got 1000000000000000",
    ],
    [
      limit({ rate: 32e100 }),
      "limit.default.rate: rate must be a whole number 1..1000000000, got 3.2e+101",
    ],
    [
      limit({ rate: 1.5 }),
      "limit.default.rate: rate must be a whole number 1..1000000000, got 1.5",
    ],
    [
      limit({ rate: "60" }),
      'limit.default.rate: rate must be a whole number 1..1000000000, got "60"',
    ],
    [limit({ burst: 0 }), "limit.default.burst: burst must be a whole number 1..1000000000, got 0"],
    [
      limit({ per: "1mo" }),
      'limit.default.per: per must be a duration such as 90s, 1m, 1h or 1d, got "1mo"',
    ],
    [
      limit({ per: "1:30" }),
      'limit.default.per: per must be a duration such as 90s, 1m, 1h or 1d, got "1:30"',
    ],
    [limit({ per: "31d" }), 'limit.default.per: per must be at most 30d, got "31d"'],
    [
      { id: "Per Key" },
      'id: rule id must be 1..63 characters of a-z, 0-9 and inner hyphens, got "Per Key"',
    ],
    [{ mode: "on" }, 'mode: mode must be one of off, shadow, enforce, got "on"'],
    [{ cost: 0 }, "cost: cost must be a whole number 1..1000000, got 0"],
    [{ countBy: [] }, "countBy: countBy needs at least one entry, such as client"],
    [{ countBy: ["global", "ip"] }, "countBy: countBy global stands alone"],
    [{ countBy: ["ip", "ip"] }, "countBy: countBy names a part twice"],
    [
      { countBy: ["user"] },
      'countBy.0: countBy must be one of client, apiKey, customer, ip, route, plan, global or header:NAME, got "user"',
    ],
    [
      { match: { ips: ["198.51.100.0/33"] } },
      'match.ips.0: ips must be addresses or CIDR ranges such as 198.51.100.0/24, got "198.51.100.0/33"',
    ],
    [
      { match: { routes: ["v1/x"] } },
      'match.routes.0: a route must start with / and have no blank, ? or #, got "v1/x"',
    ],
    [
      { match: { headers: JSON.parse('{"__proto__": ["a"]}') } },
      "match.headers: a header cannot be named __proto__",
    ],
  ])("%j", (fields, expected) => {
    expect(errorsOf(fields)).toContain(expected);
  });

  test("an unknown field is refused, not dropped", () => {
    expect(RuleSchema.safeParse({ ...rule, burst: 5 }).success).toBe(false);
  });
});

describe("what is allowed comes back as it was written", () => {
  test.each([1, 999_999_999, 1_000_000_000])("a rate of %d", (rate) => {
    const parsed = RuleSchema.parse({ ...rule, ...limit({ rate }) });
    expect(amountsOf(parsed.limit).default).toEqual({ rate, per: "1m", burst: 60 });
    expect(JSON.stringify(amountsOf(parsed.limit).default)).toContain(`"rate":${rate},`);
  });

  test("odd names are names", () => {
    const match = { headers: { constructor: ["a"], toString: [] } };
    expect(RuleSchema.parse({ ...rule, match }).match.headers).toEqual({
      constructor: ["a"],
      tostring: [],
    });
  });

  test("header names are lower-cased, also in countBy", () => {
    expect(RuleSchema.parse({ ...rule, countBy: ["header:X-Tenant"] }).countBy).toEqual([
      "header:x-tenant",
    ]);
  });
});
