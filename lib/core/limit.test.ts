import { describe, expect, test } from "vitest";
import { AmountSchema, amountsOf, amountWords, fitsLimit, type Limit, LimitSchema } from "./limit";
import { fieldErrors, parseInput } from "./parse";

type Form = { at: string; limit: (value: unknown) => unknown; min: number; max: number };

const FORMS: Record<string, Form> = {
  "token bucket, rate": {
    at: "default.rate",
    limit: (rate) => bucket({ rate, per: "1s", burst: 1 }),
    min: 1,
    max: 1_000_000_000,
  },
  "token bucket, burst": {
    at: "default.burst",
    limit: (burst) => bucket({ rate: 1_000_000_000, per: "1s", burst }),
    min: 1,
    max: 1_000_000_000,
  },
  "sliding window, rate": {
    at: "default.rate",
    limit: (rate) => ({ kind: "rate", algorithm: "sliding-window", default: { rate, per: "1m" } }),
    min: 1,
    max: 4_000_000_000,
  },
  "fixed window, rate": {
    at: "default.rate",
    limit: (rate) => monthly({ rate }),
    min: 1,
    max: 4_000_000_000,
  },
  "concurrency, concurrent": {
    at: "default.concurrent",
    limit: (concurrent) => ({ kind: "concurrency", default: { concurrent } }),
    min: 1,
    max: 1_000_000,
  },
  "fleet, capacity": {
    at: "capacity",
    limit: (capacity) => ({ kind: "fleet", capacity }),
    min: 1,
    max: 1_000_000_000,
  },
  "fleet, reserve": {
    at: "reserve",
    limit: (reserve) => ({ kind: "fleet", capacity: 100, reserve }),
    min: 0,
    max: 100,
  },
  "worker, maxDelayMs": {
    at: "maxDelayMs",
    limit: (maxDelayMs) => ({ kind: "worker", maxDelayMs }),
    min: 5,
    max: 10_000,
  },
};

function bucket(amount: object) {
  return { kind: "rate", algorithm: "token-bucket", default: amount };
}

function monthly(fields: { rate?: unknown; per?: unknown; timeZone?: unknown }) {
  const { rate = 100, per = "1mo", ...rest } = fields;
  return { kind: "rate", algorithm: "fixed-window", ...rest, default: { rate, per } };
}

function errorsOf(limit: unknown): string[] {
  const result = LimitSchema.safeParse(limit);
  return result.success
    ? []
    : fieldErrors(result.error).map(({ path, message }) => `${path}: ${message}`);
}

describe.each(Object.entries(FORMS))("%s", (_, { at, limit, min, max }) => {
  const name = at.split(".").at(-1) ?? at;

  test.each([min, max])("%d comes back as it was written", (value) => {
    const text = JSON.stringify(LimitSchema.parse(limit(value)));
    expect(text).toContain(`"${name}":${value}`);
  });

  test.each([
    [min - 1, String(min - 1)],
    [-1, "-1"],
    [max + 1, String(max + 1)],
    [1e15, "1000000000000000"],
    [Number("9007199254740993"), "9007199254740992"],
    [32e100, "3.2e+101"],
    [1.5, "1.5"],
    ["60", '"60"'],
    [null, "nothing"],
    [Number.NaN, "NaN"],
  ])("%s is refused with the bounds", (value, got) => {
    expect(errorsOf(limit(value))).toEqual([
      `${at}: ${name} must be a whole number ${min}..${max}, got ${got}`,
    ]);
  });
});

describe("a window of the calendar", () => {
  test("3,000,000,000 a month comes back exactly", () => {
    const parsed = LimitSchema.parse(JSON.parse(JSON.stringify(monthly({ rate: 3_000_000_000 }))));
    expect(amountsOf(parsed).default).toEqual({ rate: 3_000_000_000, per: "1mo" });
    expect(JSON.stringify(parsed)).toContain('"rate":3000000000');
    expect(amountWords({ rate: 3_000_000_000, per: "1mo" })).toBe("3000000000 per 1mo");
  });

  test("10,000,000,000 is refused with the maximum named", () => {
    expect(errorsOf(monthly({ rate: 10_000_000_000 }))).toEqual([
      "default.rate: rate must be a whole number 1..4000000000, got 10000000000",
    ]);
  });

  test.each(["1s", "15m", "6h", "7h", "1d", "366d", "1mo", "3mo", "12mo"])("per %s", (per) => {
    expect(errorsOf(monthly({ per }))).toEqual([]);
  });

  test.each(["0mo", "13mo", "367d", "1w", "1 mo", "mo", "", "1:30", "01d", "1.5mo"])(
    "per %j is refused",
    (per) => {
      expect(errorsOf(monthly({ per }))).toEqual([
        `default.per: per must be a period such as 15m, 6h, 1d (at most 366d) or 1mo (at most 12mo), got ${JSON.stringify(per)}`,
      ]);
    },
  );

  test("without a zone it is UTC, and says so once it is read", () => {
    expect(LimitSchema.parse(monthly({}))).toMatchObject({ timeZone: "UTC" });
  });

  test.each(["UTC", "Europe/Paris", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "Etc/GMT+5"])(
    "zone %s",
    (timeZone) => {
      expect(LimitSchema.parse(monthly({ timeZone }))).toMatchObject({ timeZone });
    },
  );

  test.each(["Mars/Olympus", "+02:00", "", " UTC", "Europe/Paris ", "constructor"])(
    "zone %j is refused",
    (timeZone) => {
      expect(errorsOf(monthly({ timeZone }))).toEqual([
        `timeZone: timeZone must be a name such as UTC or Europe/Paris, got ${JSON.stringify(timeZone)}`,
      ]);
    },
  );

  test("only it knows months", () => {
    const sliding = { kind: "rate", algorithm: "sliding-window" };
    expect(errorsOf({ ...sliding, default: { rate: 1, per: "1mo" } })).toEqual([
      'default.per: per must be a duration such as 90s, 1m, 1h or 1d, got "1mo"',
    ]);
    expect(errorsOf({ ...sliding, default: { rate: 1, per: "31d" } })).toEqual([
      'default.per: per must be at most 30d, got "31d"',
    ]);
  });
});

describe("a kind has its own fields only", () => {
  test.each<[object, string]>([
    [monthly({ rate: 1 }), ""],
    [{ ...monthly({}), burst: 5 }, 'burst: "burst" is not known here'],
    [
      { ...monthly({}), default: { rate: 1, per: "1d", burst: 1 } },
      'default.burst: "burst" is not known here',
    ],
    [
      { ...bucket({ rate: 1, per: "1m", burst: 1 }), timeZone: "UTC" },
      'timeZone: "timeZone" is not known here',
    ],
    [
      { kind: "concurrency", default: { concurrent: 1 }, lease: "2h" },
      'lease: lease must be at most 1h, got "2h"',
    ],
    [{ kind: "worker", default: "unlimited" }, 'default: "default" is not known here'],
    [{ kind: "quota" }, 'kind: kind must be one of rate, concurrency, fleet, worker, got "quota"'],
    [
      { kind: "rate", algorithm: "gcra" },
      'algorithm: algorithm must be one of token-bucket, sliding-window, fixed-window, got "gcra"',
    ],
    [
      { kind: "concurrency" },
      "default: a limit needs at least one of perPlan, anonymous or default",
    ],
  ])("%j", (limit, error) => {
    expect(errorsOf(limit)).toEqual(error === "" ? [] : [error]);
  });
});

test("an amount fits only a rule of its kind", () => {
  const limits: Record<string, Limit> = {
    bucket: LimitSchema.parse(bucket({ rate: 1, per: "1m", burst: 1 })),
    sliding: LimitSchema.parse({
      kind: "rate",
      algorithm: "sliding-window",
      default: { rate: 1, per: "1m" },
    }),
    fixed: LimitSchema.parse(monthly({})),
    concurrency: LimitSchema.parse({ kind: "concurrency", default: { concurrent: 1 } }),
    fleet: LimitSchema.parse({ kind: "fleet", capacity: 100 }),
  };
  const amounts = [
    { rate: 60, per: "1m", burst: 60 },
    { rate: 60, per: "1m" },
    { rate: 60, per: "1mo" },
    { concurrent: 5 },
    "unlimited",
  ].map((amount) => parseInput(AmountSchema, amount, "an amount"));
  const fits = Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [
      name,
      amounts.filter((amount) => fitsLimit(limit, amount)).map(amountWords),
    ]),
  );
  expect(fits).toEqual({
    bucket: ["60 per 1m", "unlimited"],
    sliding: ["60 per 1m", "unlimited"],
    fixed: ["60 per 1m", "60 per 1mo", "unlimited"],
    concurrency: ["5 at the same time", "unlimited"],
    fleet: [],
  });
});
