import { z } from "zod";
import type { Reader } from "@/lib/db/client";
import { gatewayState } from "./fleet";
import type { CoverageInput, ReportedHour, ReportedMinute } from "./measure-coverage";
import { splitRange } from "./report-parts";

type Interval = { fromMs: number; toMs: number; nowMs: number };

/** Up to this long minutes are read; beyond, whole hours, of which more are kept. */
const MINUTES_MAX_MS = 25 * 3_600_000;

/** What gateways reported in the interval, and who of them there was. */
export async function readCoverage(
  reader: Reader,
  { fromMs, toMs, nowMs }: Interval,
): Promise<Required<Pick<CoverageInput, "gateways" | "minutes" | "hours">>> {
  const gateways = await reader.gateway.findMany({
    where: { firstSeenAt: { lt: new Date(toMs) }, lastSeenAt: { gte: new Date(fromMs) } },
    select: {
      id: true,
      firstSeenAt: true,
      lastSeenAt: true,
      drainedAt: true,
      dismissedAt: true,
      rests: {
        where: { from: { lt: new Date(toMs) }, to: { gt: new Date(fromMs) } },
        orderBy: { from: "asc" },
      },
    },
  });
  return {
    gateways: gateways.map((row) => ({
      id: row.id,
      state: gatewayState(row, nowMs),
      firstSeenMs: row.firstSeenAt.getTime(),
      lastSeenMs: row.lastSeenAt.getTime(),
      drainedMs: row.drainedAt?.getTime() ?? null,
      rests: row.rests.map(({ from, to }) => ({ fromMs: from.getTime(), toMs: to.getTime() })),
    })),
    ...(await readReports(reader, { fromMs, toMs })),
  };
}

async function readReports(
  reader: Reader,
  range: Omit<Interval, "nowMs">,
): Promise<{ minutes: ReportedMinute[]; hours: ReportedHour[] }> {
  const isShort = range.toMs - range.fromMs <= MINUTES_MAX_MS;
  const minutes: ReportedMinute[] = [];
  const hours: ReportedHour[] = [];
  for (const { level, ...part } of splitRange(range, isShort ? "minute" : "hour")) {
    if (level === "minute") minutes.push(...(await readMinutes(reader, part)));
    else hours.push(...(await readHours(reader, part)));
  }
  return { minutes, hours };
}

const count = z.number();
const PackedSchema = z.array(z.tuple([count, z.string(), count, count, count, count, count]));

/** One JSON for all: tens of thousands of rows cost a fifth of what they do one by one. */
async function readMinutes(
  reader: Reader,
  { fromMs, toMs }: Omit<Interval, "nowMs">,
): Promise<ReportedMinute[]> {
  const [row] = await reader.$queryRaw<{ packed: unknown }[]>`
    SELECT COALESCE(json_agg(json_build_array((extract(epoch FROM minute) / 60)::int, gateway_id, requests,
      batches, missing_batches, dropped_requests, dropped_clients)), '[]') AS packed
    FROM gateway_minute
    WHERE minute >= date_trunc('minute', ${new Date(fromMs)}::timestamptz)
      AND minute < ${new Date(toMs)}::timestamptz`;
  return PackedSchema.parse(row?.packed).map(
    ([minute, gateway, requests, batches, missingBatches, droppedRequests, droppedClients]) => ({
      minute,
      gateway,
      requests,
      batches,
      missingBatches,
      droppedRequests,
      droppedClients,
    }),
  );
}

const PackedHoursSchema = z.array(
  z.tuple([count, z.string(), count, count, count, count, count, count, count]),
);
const PackedDaysSchema = z.array(z.tuple([count, z.string(), count, count]));
const ALL_MINUTES = { low: 2 ** 30 - 1, high: 2 ** 30 - 1 };

/** Most days nothing is missing of a gateway: such a day is one row, and its requests are spread over its hours. */
async function readHours(
  reader: Reader,
  { fromMs, toMs }: Omit<Interval, "nowMs">,
): Promise<ReportedHour[]> {
  const [row] = await reader.$queryRaw<{ hours: unknown; days: unknown }[]>`
    WITH hours AS MATERIALIZED (
      SELECT *, extract(epoch FROM hour)::int / 3600 AS at, extract(epoch FROM hour)::int / 86400 AS day,
        minutes = (1::bigint << 60) - 1 AND missing_batches = 0 AND dropped_requests = 0 AND dropped_clients = 0 AS is_whole
      FROM gateway_hour
      WHERE hour >= ${new Date(fromMs)}::timestamptz AND hour < ${new Date(toMs)}::timestamptz),
    days AS (
      SELECT day, gateway_id, sum(requests::float8) AS requests, sum(batches) AS batches
      FROM hours WHERE is_whole GROUP BY day, gateway_id HAVING count(*) = 24)
    SELECT (SELECT COALESCE(json_agg(json_build_array(day, gateway_id, requests, batches)), '[]') FROM days) AS days,
      (SELECT COALESCE(json_agg(json_build_array(at, gateway_id, h.requests, h.batches, missing_batches,
        dropped_requests, dropped_clients, minutes & 1073741823, minutes >> 30)), '[]')
      FROM hours h LEFT JOIN days d USING (day, gateway_id) WHERE d.day IS NULL) AS hours`;
  const none = { missingBatches: 0, droppedRequests: 0, droppedClients: 0, minutes: ALL_MINUTES };
  const ofDays = PackedDaysSchema.parse(row?.days).flatMap(([day, gateway, requests, batches]) => {
    const each = { ...none, gateway, requests: requests / 24, batches: batches / 24 };
    return Array.from({ length: 24 }, (_, i) => ({ ...each, hour: day * 24 + i }));
  });
  const ofHours = PackedHoursSchema.parse(row?.hours).map(
    ([
      hour,
      gateway,
      requests,
      batches,
      missingBatches,
      droppedRequests,
      droppedClients,
      low,
      high,
    ]) => ({
      hour,
      gateway,
      requests,
      batches,
      missingBatches,
      droppedRequests,
      droppedClients,
      minutes: { low, high },
    }),
  );
  return [...ofDays, ...ofHours];
}
