import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costWaitUs, presentState, takeCost } from "./bucket-limit";
import { calendarPeriod, windowAt } from "./calendar-period";
import { fixedWindow } from "./fixed-window";

const us = (iso: string) => Date.parse(iso) * 1000;

function windowOf(per: string, zone: string, iso: string): [start: string, end: string] {
  const { startUs, endUs } = periodWindow(per, zone, us(iso));
  return [text(startUs), text(endUs)];
}

function periodWindow(per: string, zone: string, nowUs: number) {
  const period = calendarPeriod(per);
  if (period === null) throw new Error(`no period: ${per}`);
  return windowAt(period, zone, nowUs);
}

const text = (at: number) => new Date(at / 1000).toISOString().replace(":00.000Z", "Z");

/** Which of these requests a limit lets through. */
function passes(limit: ReturnType<typeof fixedWindow>, times: readonly string[]): boolean[] {
  let state: ReturnType<typeof presentState> | undefined;
  return times.map((iso) => {
    const present = presentState(state, limit, us(iso));
    state = present;
    if (costWaitUs(present, limit, us(iso), 1) > 0) return false;
    state = takeCost(present, limit, 1);
    return true;
  });
}

describe("in Paris, where clocks change", () => {
  test("an hour that the clocks repeat is two windows", () => {
    const hourly = fixedWindow({ rate: 1, per: "1h" }, "Europe/Paris");
    const times = [
      "2021-10-31T02:30:00+02:00",
      "2021-10-31T02:30:00+01:00",
      "2021-10-31T02:45:00+01:00",
    ];
    expect(passes(hourly, times)).toEqual([true, true, false]);
  });

  test("a day of 25 hours is one window", () => {
    const daily = fixedWindow({ rate: 2, per: "1d" }, "Europe/Paris");
    const times = [
      "2021-10-31T00:10:00+02:00",
      "2021-10-31T23:50:00+01:00",
      "2021-10-31T23:55:00+01:00",
      "2021-11-01T00:00:00+01:00",
    ];
    expect(passes(daily, times)).toEqual([true, true, false, true]);
    const refusedUs = us("2021-10-31T23:55:00+01:00");
    const full = takeCost(presentState(undefined, daily, refusedUs), daily, 2);
    expect(costWaitUs(full, daily, refusedUs, 1)).toBe(5 * 60 * 1_000_000);
  });

  test("a day of 23 hours ends after 82799 seconds from its second second", () => {
    const daily = fixedWindow({ rate: 2, per: "1d" }, "Europe/Paris");
    const nowUs = us("2022-03-27T00:00:01+01:00");
    const full = takeCost(presentState(undefined, daily, nowUs), daily, 2);
    expect(costWaitUs(full, daily, nowUs, 1)).toBe(82_799 * 1_000_000);
  });
});

describe("a window", () => {
  test.each<[per: string, zone: string, at: string, start: string, end: string]>([
    // Months of 31, 28, 29 and 30 days, and over a year's end.
    ["1mo", "UTC", "2025-01-31T23:59:59Z", "2025-01-01T00:00Z", "2025-02-01T00:00Z"],
    ["1mo", "UTC", "2025-02-01T00:00:00Z", "2025-02-01T00:00Z", "2025-03-01T00:00Z"],
    ["1mo", "UTC", "2024-02-29T12:00:00Z", "2024-02-01T00:00Z", "2024-03-01T00:00Z"],
    ["1mo", "UTC", "2100-02-28T12:00:00Z", "2100-02-01T00:00Z", "2100-03-01T00:00Z"],
    ["1mo", "UTC", "2025-04-30T12:00:00Z", "2025-04-01T00:00Z", "2025-05-01T00:00Z"],
    ["1mo", "UTC", "2025-12-31T23:59:59Z", "2025-12-01T00:00Z", "2026-01-01T00:00Z"],
    ["1mo", "Europe/Paris", "2025-03-31T22:00:00Z", "2025-03-31T22:00Z", "2025-04-30T22:00Z"],
    ["1mo", "America/New_York", "2025-11-01T03:59:59Z", "2025-10-01T04:00Z", "2025-11-01T04:00Z"],
    ["3mo", "UTC", "2025-06-30T23:59:59Z", "2025-04-01T00:00Z", "2025-07-01T00:00Z"],
    ["3mo", "Europe/Paris", "2025-02-10T00:00:00Z", "2024-12-31T23:00Z", "2025-03-31T22:00Z"],
    ["12mo", "UTC", "2024-12-31T23:59:59Z", "2024-01-01T00:00Z", "2025-01-01T00:00Z"],
    ["2d", "UTC", "1970-01-02T12:00:00Z", "1970-01-01T00:00Z", "1970-01-03T00:00Z"],
    ["7d", "UTC", "2025-06-04T12:00:00Z", "2025-05-29T00:00Z", "2025-06-05T00:00Z"],
    ["6h", "UTC", "2025-06-04T11:59:59Z", "2025-06-04T06:00Z", "2025-06-04T12:00Z"],
    ["6h", "Europe/Paris", "2021-10-31T01:30:00Z", "2021-10-30T22:00Z", "2021-10-31T05:00Z"],
    ["6h", "Europe/Paris", "2022-03-27T01:30:00Z", "2022-03-26T23:00Z", "2022-03-27T04:00Z"],
    ["15m", "UTC", "2025-06-04T11:59:59Z", "2025-06-04T11:45Z", "2025-06-04T12:00Z"],
    // No part of a day: multiples since 1970, in any zone.
    ["7m", "Asia/Kolkata", "1970-01-01T00:08:00Z", "1970-01-01T00:07Z", "1970-01-01T00:14Z"],
    ["1d", "Asia/Kolkata", "2025-06-04T18:30:00Z", "2025-06-04T18:30Z", "2025-06-05T18:30Z"],
    ["1h", "Asia/Kolkata", "2025-06-04T18:45:00Z", "2025-06-04T18:30Z", "2025-06-04T19:30Z"],
    // Clocks moved by half an hour: 02:00 to 01:30, and 02:00 to 02:30.
    ["1h", "Australia/Lord_Howe", "2025-04-05T14:45:00Z", "2025-04-05T14:00Z", "2025-04-05T15:00Z"],
    ["1h", "Australia/Lord_Howe", "2025-04-05T15:10:00Z", "2025-04-05T15:00Z", "2025-04-05T15:30Z"],
    ["1h", "Australia/Lord_Howe", "2025-10-04T15:40:00Z", "2025-10-04T15:30Z", "2025-10-04T16:00Z"],
    ["1d", "Australia/Lord_Howe", "2025-04-05T15:10:00Z", "2025-04-05T13:00Z", "2025-04-06T13:30Z"],
    // The day begins at 01:00; the day before the clocks go back has 25 hours.
    ["1d", "America/Santiago", "2025-09-07T12:00:00Z", "2025-09-07T04:00Z", "2025-09-08T03:00Z"],
    ["1d", "America/Santiago", "2025-04-06T03:30:00Z", "2025-04-05T03:00Z", "2025-04-06T04:00Z"],
    // 30 December 2011 never was.
    ["1d", "Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T10:00Z", "2011-12-30T10:00Z"],
    ["1d", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"],
    ["1mo", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-01T10:00Z", "2011-12-31T10:00Z"],
    // Back by an hour for Ramadan.
    ["1d", "Africa/Casablanca", "2025-02-23T12:00:00Z", "2025-02-22T23:00Z", "2025-02-24T00:00Z"],
    // Back from 00:01 to 23:01: the day had begun already.
    ["1d", "America/St_Johns", "2010-11-07T03:00:00Z", "2010-11-07T02:30Z", "2010-11-08T03:30Z"],
    ["1h", "America/St_Johns", "2010-11-07T02:30:30Z", "2010-11-07T02:30Z", "2010-11-07T02:31Z"],
    ["1h", "America/St_Johns", "2010-11-07T02:31:00Z", "2010-11-07T02:31Z", "2010-11-07T03:30Z"],
    // A boundary within the hour that is shown twice is passed once.
    ["80m", "Europe/Paris", "2021-10-31T01:10:00Z", "2021-10-31T00:40Z", "2021-10-31T03:00Z"],
    [
      "1d",
      "Africa/Monrovia",
      "1970-06-01T12:00:00Z",
      "1970-06-01T00:44:30.000Z",
      "1970-06-02T00:44:30.000Z",
    ],
  ])("of %s in %s at %s is %s to %s", (per, zone, at, start, end) => {
    expect(windowOf(per, zone, at)).toEqual([start, end]);
  });
});

const ZONES = [
  "UTC",
  "Europe/Paris",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Santiago",
  "America/St_Johns",
  "America/Havana",
  "Pacific/Apia",
  "Africa/Casablanca",
  "Africa/Monrovia",
  "Asia/Kathmandu",
];
const PERS = [
  ...["1s", "7s", "1m", "7m", "15m", "45m", "80m", "1h", "90m", "2h", "5h", "6h", "12h", "24h"],
  ...["1d", "2d", "7d", "30d", "366d", "1mo", "2mo", "3mo", "5mo", "12mo"],
];
const YEAR_US = 366 * 86_400_000_000;

/** Any instant of 1970 to 2100, many of them close to where a clock changes. */
const instant = fc.oneof(
  fc.integer({ min: 2 * 86_400_000, max: Date.UTC(2100, 11, 31) }).map((ms) => ms * 1000),
  fc
    .record({
      near: fc.constantFrom(
        "2021-10-31T01:00:00Z",
        "2022-03-27T01:00:00Z",
        "2025-04-05T15:00:00Z",
        "2025-10-04T15:30:00Z",
        "2025-09-07T04:00:00Z",
        "2025-04-06T03:00:00Z",
        "2010-11-07T02:31:00Z",
        "2010-03-14T03:31:00Z",
        "2024-11-03T05:00:00Z",
        "2024-03-10T05:00:00Z",
        "2011-12-30T10:00:00Z",
        "2025-02-23T02:00:00Z",
        "2025-04-06T02:00:00Z",
        "1972-01-07T00:44:30Z",
        "1985-12-31T18:30:00Z",
      ),
      offUs: fc.oneof(
        fc.integer({ min: -30, max: 30 }).map((minutes) => minutes * 60_000_000),
        fc.integer({ min: -7_300_000_000, max: 7_300_000_000 }),
        fc.constantFrom(-1, 0, 1),
      ),
    })
    .map(({ near, offUs }) => us(near) + offUs),
);

test("windows hold their instant, follow each other without gap or overlap, and are whole seconds", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PERS),
      fc.constantFrom(...ZONES),
      instant,
      (per, zone, nowUs) => {
        const window = periodWindow(per, zone, nowUs);
        const { startUs, endUs } = window;
        expect(startUs).toBeLessThanOrEqual(nowUs);
        expect(nowUs).toBeLessThan(endUs);
        expect([startUs, endUs].every((at) => Number.isInteger(at / 1_000_000))).toBe(true);
        expect(endUs - startUs).toBeLessThanOrEqual(YEAR_US + 3_600_000_000);
        expect(periodWindow(per, zone, startUs)).toEqual(window);
        expect(periodWindow(per, zone, endUs - 1)).toEqual(window);
        expect(periodWindow(per, zone, endUs).startUs).toBe(endUs);
        expect(periodWindow(per, zone, startUs - 1).endUs).toBe(startUs);
      },
    ),
    { numRuns: 3000 },
  );
});

test("a window that was looked up is known without asking the calendar again", () => {
  const monthly = fixedWindow({ rate: 1, per: "1mo" }, "Europe/Paris");
  const nowUs = us("2025-06-04T12:00:00Z");
  const first = monthly.windowAt(nowUs);
  expect(monthly.windowAt(first.startUs)).toBe(first);
  expect(monthly.windowAt(first.endUs - 1)).toBe(first);
  expect(monthly.windowAt(first.endUs)).not.toBe(first);
});
