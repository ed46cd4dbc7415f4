import { type CalendarPeriod, windowAt } from "@/lib/core/calendar-period";
import { fixedWindow } from "@/lib/core/fixed-window";
import { type Figure, figure } from "./figure";

const ZONE = "Europe/Paris";
const START_US = 1_700_000_000_000_000;
const PERIODS: Record<string, CalendarPeriod> = {
  hour: { count: 1, unit: "h" },
  day: { count: 1, unit: "d" },
  month: { count: 1, unit: "mo" },
};

/** What it takes to find the window of an instant: once a window by the calendar, else from what was found last. */
export function benchCalendar(): Figure[] {
  const figures = Object.entries(PERIODS).map(([name, period]) => {
    const micros = time(2_000, (i) => windowAt(period, ZONE, START_US + i * 7_200_000_000));
    return figure(`windows.calendar.${name}`, micros, "µs");
  });
  const monthly = fixedWindow({ rate: 1, per: "1mo" }, ZONE);
  const micros = time(2_000_000, (i) => monthly.windowAt(START_US + i * 1_000));
  return [...figures, figure("windows.calendar.found-last", micros, "µs", { atMost: 0.1 })];
}

/** µs each; the best of three rounds. */
function time(count: number, each: (i: number) => unknown): number {
  const rounds = [0, 1, 2].map(() => {
    const startMs = performance.now();
    for (let i = 0; i < count; i += 1) each(i);
    return ((performance.now() - startMs) * 1000) / count;
  });
  return Math.min(...rounds);
}
