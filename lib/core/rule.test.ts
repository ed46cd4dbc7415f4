import { describe, expect, test } from "vitest";
import { AppError } from "./errors";
import { amountFor, amountWords } from "./limit";
import { parseInput } from "./parse";
import { RuleSchema } from "./rule";

const minimal = {
  id: "per-key-rate",
  name: "Requests per API key",
  countBy: ["apiKey"],
  limit: {
    kind: "rate",
    algorithm: "token-bucket",
    perPlan: { free: { rate: 60, per: "1m", burst: 60 }, enterprise: "unlimited" },
    default: { rate: 60, per: "1m", burst: 20 },
  },
};

function messageOf(change: object): string {
  try {
    parseInput(RuleSchema, { ...minimal, ...change }, "the rule");
  } catch (error) {
    if (error instanceof AppError)
      return error.errors.map((e) => `${e.path}: ${e.message}`).join("\n");
    throw error;
  }
  return "accepted";
}

const rate = (change: object) => ({
  limit: { ...minimal.limit, default: { rate: 60, per: "1m", burst: 20, ...change } },
});

test("a rule's defaults are safe: shadow, exact, the local share when Redis is away", () => {
  const rule = RuleSchema.parse(minimal);
  expect(rule).toMatchObject({
    mode: "shadow",
    precision: "exact",
    failMode: "local",
    cost: 1,
    match: {},
  });
});

test("parsing what was parsed changes nothing", () => {
  const once = RuleSchema.parse({ ...minimal, match: { headers: { "X-Tier": ["beta"] } } });
  expect(RuleSchema.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
});

describe("a refused rule says what was received and what is allowed", () => {
  test.each([
    [rate({ burst: 0 }), "limit.default.burst: burst must be a whole number 1..1000000000, got 0"],
    [
      rate({ rate: "60" }),
      'limit.default.rate: rate must be a whole number 1..1000000000, got "60"',
    ],
    [rate({ rate: 1.5 }), "limit.default.rate: rate must be a whole number 1..1000000000, got 1.5"],
    [
      rate({ rate: 32e100 }),
      "limit.default.rate: rate must be a whole number 1..1000000000, got 3.2e+101",
    ],
    [
      rate({ per: "1:30" }),
      'limit.default.per: per must be a duration such as 90s, 1m, 1h or 1d, got "1:30"',
    ],
    [rate({ per: "31d" }), 'limit.default.per: per must be at most 30d, got "31d"'],
    [
      rate({ rate: 1, per: "30d", burst: 1000 }),
      "limit.default.burst: burst 1000 at 1 per 30d takes 30000 days to refill, at most 366 are allowed",
    ],
    [
      { id: "Per Key" },
      'id: rule id must be 1..63 characters of a-z, 0-9 and inner hyphens, got "Per Key"',
    ],
    [{ countBy: [] }, "countBy: countBy needs at least one entry, such as client"],
    [
      { countBy: ["cookie"] },
      'countBy.0: countBy must be one of client, apiKey, customer, ip, route, plan, global or header:NAME, got "cookie"',
    ],
    [{ countBy: ["ip", "global"] }, "countBy: countBy global stands alone"],
    [{ mode: "on" }, 'mode: mode must be one of off, shadow, enforce, got "on"'],
    [{ cost: 0 }, "cost: cost must be a whole number 1..1000000, got 0"],
    [
      { match: { ips: ["10.0.0.0/40"] } },
      'match.ips.0: ips must be addresses or CIDR ranges such as 198.51.100.0/24, got "10.0.0.0/40"',
    ],
    [
      { match: { routes: ["v1"] } },
      'match.routes.0: a route must start with / and have no blank, ? or #, got "v1"',
    ],
    [
      { match: { methods: ["get"] } },
      'match.methods.0: method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, got "get"',
    ],
    [
      { limit: { kind: "rate", algorithm: "token-bucket" } },
      "limit.default: a limit needs at least one of perPlan, anonymous or default",
    ],
  ])("%j", (change, message) => {
    expect(messageOf(change)).toBe(message);
  });

  test("a key that is not known is refused, not dropped", () => {
    expect(messageOf({ limitt: 1 })).toBe('limitt: "limitt" is not known here');
  });

  test("names that are special in JavaScript are names like any other", () => {
    const odd = JSON.parse('{"constructor": {"rate": 5, "per": "1m", "burst": 5}}');
    const rule = RuleSchema.parse({ ...minimal, limit: { ...minimal.limit, perPlan: odd } });
    expect(amountFor(rule.limit, "constructor")).toEqual({ rate: 5, per: "1m", burst: 5 });
  });
});

test("a plan's amount: its own, else anonymous for keyless traffic, else the default, else none", () => {
  const { limit } = RuleSchema.parse(minimal);
  const keyless = { rate: 20, per: "1m", burst: 20 };
  expect(amountFor(limit, "free")).toEqual(minimal.limit.perPlan.free);
  expect(amountFor(limit, "enterprise")).toBe("unlimited");
  expect(amountFor(limit, "constructor")).toEqual(minimal.limit.default);
  expect(amountFor({ ...limit, anonymous: keyless }, "anonymous")).toEqual(keyless);
  expect(amountFor({ ...limit, default: undefined }, "toString")).toBeNull();
});

test("an amount reads as people say it", () => {
  expect(amountWords({ rate: 60, per: "60s", burst: 60 })).toBe("60 per 1m");
  expect(amountWords({ rate: 60, per: "1m", burst: 120 })).toBe("60 per 1m, burst 120");
  expect(amountWords("unlimited")).toBe("unlimited");
});
