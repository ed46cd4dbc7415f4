import type { Reader } from "@/lib/db/client";
import { gatewayState } from "./fleet";
import type { CoverageInput, ReportedMinute } from "./measure-coverage";

type Interval = { fromMs: number; toMs: number; nowMs: number };

/** What gateways reported in the interval, and who of them there was. */
export async function readCoverage(
  reader: Reader,
  { fromMs, toMs, nowMs }: Interval,
): Promise<Pick<CoverageInput, "gateways" | "minutes">> {
  const gateways = await reader.gateway.findMany({
    where: { firstSeenAt: { lt: new Date(toMs) }, lastSeenAt: { gte: new Date(fromMs) } },
    select: {
      id: true,
      firstSeenAt: true,
      lastSeenAt: true,
      drainedAt: true,
      dismissedAt: true,
    },
  });
  const minutes = await reader.$queryRaw<ReportedMinute[]>`
    SELECT (extract(epoch FROM minute) / 60)::int AS minute, gateway_id AS gateway,
      requests::float8 AS requests, batches, missing_batches AS "missingBatches",
      dropped_requests::float8 AS "droppedRequests", dropped_clients::float8 AS "droppedClients",
      hits_seen::float8 AS "hitsSeen", hits_kept::float8 AS "hitsKept"
    FROM gateway_minute
    WHERE minute >= date_trunc('minute', ${new Date(fromMs)}::timestamptz)
      AND minute < ${new Date(toMs)}::timestamptz`;
  return {
    gateways: gateways.map((row) => ({
      id: row.id,
      state: gatewayState(row, nowMs),
      firstSeenMs: row.firstSeenAt.getTime(),
      lastSeenMs: row.lastSeenAt.getTime(),
      drainedMs: row.drainedAt?.getTime() ?? null,
    })),
    minutes,
  };
}
