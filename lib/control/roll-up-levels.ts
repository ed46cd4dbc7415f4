import type { ClientMinuteRow, CountMinuteRow, Figures } from "./roll-up";

const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;
const STEP_MINUTES = 5;
const STEPS = HOUR_MINUTES / STEP_MINUTES;

type Start = { minute: number };
type Steps = { fiveRequests: number[]; fiveRejections: number[]; fiveNewly: number[] };

/** `minute` is the first of the hour or day. */
export type CountHourRow = CountMinuteRow & Steps;
export type CountDayRow = CountMinuteRow;
export type ClientSpanRow = ClientMinuteRow;

/** Rows of minutes as rows of the hours that they lie in. */
export function countHours(minutes: readonly CountMinuteRow[]): CountHourRow[] {
  const rows = new Map<string, CountHourRow>();
  for (const row of minutes) {
    const hour = startOf(row, HOUR_MINUTES);
    const held = rows.get(countKey(hour, row)) ?? {
      ...row,
      ...{ minute: hour, requests: 0, rejections: 0, newly: 0, kept: 0 },
      ...{ fiveRequests: zeros(), fiveRejections: zeros(), fiveNewly: zeros() },
    };
    rows.set(countKey(hour, row), held);
    addFigures(held, row);
    held.kept += row.kept;
    const step = Math.floor((row.minute - hour) / STEP_MINUTES);
    held.fiveRequests[step] = (held.fiveRequests[step] ?? 0) + row.requests;
    held.fiveRejections[step] = (held.fiveRejections[step] ?? 0) + row.rejections;
    held.fiveNewly[step] = (held.fiveNewly[step] ?? 0) + row.newly;
  }
  return [...rows.values()];
}

export function countDays(minutes: readonly CountMinuteRow[]): CountDayRow[] {
  const rows = new Map<string, CountDayRow>();
  for (const row of minutes) {
    const day = startOf(row, DAY_MINUTES);
    const key = countKey(day, row);
    const held = rows.get(key);
    if (held === undefined) rows.set(key, { ...row, minute: day });
    else {
      addFigures(held, row);
      held.kept += row.kept;
    }
  }
  return [...rows.values()];
}

/** Of clients; their highest minute is known only once the minutes are written. */
export function clientHours(minutes: readonly ClientMinuteRow[]): ClientSpanRow[] {
  return clientSpans(minutes, HOUR_MINUTES);
}

export function clientDays(minutes: readonly ClientMinuteRow[]): ClientSpanRow[] {
  return clientSpans(minutes, DAY_MINUTES);
}

function clientSpans(minutes: readonly ClientMinuteRow[], length: number): ClientSpanRow[] {
  const rows = new Map<string, ClientSpanRow>();
  for (const row of minutes) {
    const minute = startOf(row, length);
    const { rule, revision, mode, lane, plan, client } = row;
    const key = JSON.stringify([minute, rule, revision, mode, lane, plan, client]);
    const held = rows.get(key);
    if (held === undefined) rows.set(key, { ...row, minute });
    else addFigures(held, row);
  }
  return [...rows.values()];
}

function startOf({ minute }: Start, length: number): number {
  return minute - (minute % length);
}

function countKey(minute: number, row: CountMinuteRow): string {
  const { rule, revision, mode, lane, plan, route } = row;
  return JSON.stringify([minute, rule, revision, mode, lane, plan, route]);
}

function zeros(): number[] {
  return new Array<number>(STEPS).fill(0);
}

function addFigures(held: Figures, { requests, rejections, newly }: Figures): void {
  held.requests += requests;
  held.rejections += rejections;
  held.newly += newly;
}
