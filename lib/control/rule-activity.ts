import type { RuleHits } from "@/lib/core/api/rules";
import type { CountedMode } from "@/lib/core/counts";
import type { Reader } from "@/lib/db/client";

const MINUTES = 60;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type Wanted = { id: string; mode: CountedMode };
type Row = { rule: string; mode: string; minute: number; requests: number; hits: number };

/**
 * What each rule does now, for the list: one query for all. In shadow a hit is a request that passed today and
 * would not under the rule.
 */
export async function ruleActivity(
  reader: Reader,
  { rules, nowMs }: { rules: readonly Wanted[]; nowMs: number },
): Promise<Map<string, RuleHits>> {
  const running = Math.floor(nowMs / MINUTE_MS);
  const ids = rules.map(({ id }) => id);
  const [recent, earlier] = await Promise.all([
    readMinutes(reader, ids, { from: running - MINUTES + 1, to: running + 1 }),
    readMinutes(reader, ids, dayBefore(running)),
  ]);
  return new Map(
    rules.map(({ id, mode }) => {
      const own = (rows: readonly Row[]) =>
        rows.filter((row) => row.rule === id && row.mode === mode);
      return [id, hitsOf(mode, own(recent), own(earlier), nowMs)];
    }),
  );
}

function dayBefore(running: number) {
  const minutesADay = DAY_MS / MINUTE_MS;
  return { from: running - MINUTES + 1 - minutesADay, to: running + 1 - minutesADay };
}

async function readMinutes(
  reader: Reader,
  ids: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<Row[]> {
  return reader.$queryRaw<Row[]>`
    SELECT rule_id AS rule, mode, (extract(epoch FROM minute) / 60)::int AS minute,
      sum(requests)::float8 AS requests,
      sum(CASE WHEN mode = 'shadow' THEN newly ELSE rejections END)::float8 AS hits
    FROM count_minute
    WHERE rule_id = ANY(${[...ids]}::text[]) AND lane = 'live'
      AND minute >= ${new Date(from * MINUTE_MS)}::timestamptz
      AND minute < ${new Date(to * MINUTE_MS)}::timestamptz
    GROUP BY rule_id, mode, minute`;
}

function hitsOf(
  mode: CountedMode,
  recent: readonly Row[],
  earlier: readonly Row[],
  nowMs: number,
): RuleHits {
  const running = Math.floor(nowMs / MINUTE_MS);
  const byMinute = new Map(recent.map(({ minute, hits }) => [minute, hits]));
  const sparkline = Array.from(
    { length: MINUTES },
    (_, i) => byMinute.get(running - MINUTES + 1 + i) ?? 0,
  );
  const lastTwo = (sparkline.at(-1) ?? 0) + (sparkline.at(-2) ?? 0);
  const seconds = 60 + (nowMs % MINUTE_MS) / 1000;
  return {
    mode,
    perMinuteNow: (lastTwo * 60) / seconds,
    lastHour: sum(sparkline),
    requestsLastHour: sum(recent.map(({ requests }) => requests)),
    sparkline,
    yesterday: earlier.length === 0 ? null : sum(earlier.map(({ hits }) => hits)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
