import type { z } from "zod";
import { type TapeOverview, TapeQuerySchema } from "@/lib/core/api/tape";
import { parseInput } from "@/lib/core/parse";
import { inSnapshot, type Reader } from "@/lib/db/client";
import type { Ctx } from "./context";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { type ReportRange, reportRange } from "./report-range";
import { TAPE_KEPT_MS } from "./tape-kept";

/** What gateways recorded in an interval, and of how many clients. */
export async function getTape(
  ctx: Ctx,
  input: z.input<typeof TapeQuerySchema> = {},
): Promise<TapeOverview> {
  requirePermission(ctx, "read");
  const range = reportRange(parseInput(TapeQuerySchema, input, "the query"), ctx.clock.nowMs());
  return inSnapshot(ctx.db, async (reader) => {
    const { settings } = (await getLive(reader)).body;
    const gateways = await byGateway(reader, range);
    const shares = await byShare(reader, range);
    const sum = (of: (row: GatewayTape) => number) =>
      gateways.reduce((total, row) => total + of(row), 0);
    const firsts = gateways.map(({ firstAt }) => firstAt.getTime());
    const lasts = gateways.map(({ lastAt }) => lastAt.getTime());
    return {
      enabled: settings.tape.enabled,
      percent: settings.tape.percent,
      keptDays: TAPE_KEPT_MS / 86_400_000,
      from: instant(range.fromMs),
      to: instant(range.toMs),
      firstAt: firsts.length === 0 ? null : instant(Math.min(...firsts)),
      lastAt: lasts.length === 0 ? null : instant(Math.max(...lasts)),
      blocks: sum(({ blocks }) => blocks),
      requests: sum(({ requests }) => requests),
      clients: await countClients(reader, range),
      bytes: sum(({ bytes }) => bytes),
      dropped: sum(({ dropped }) => dropped),
      missingBlocks: sum(({ missing }) => missing),
      sampling: shares.length === 0 ? null : Math.min(...shares.map(({ percent }) => percent)),
      shares,
      gateways: gateways.map(({ id, requests, dropped, missing, firstAt, lastAt }) => ({
        id,
        requests,
        dropped,
        missingBlocks: missing,
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
      })),
      stepSeconds: range.stepSeconds,
      series: await bySteps(reader, range),
    };
  });
}

type GatewayTape = {
  id: string;
  blocks: number;
  requests: number;
  dropped: number;
  bytes: number;
  missing: number;
  firstAt: Date;
  lastAt: Date;
};

/** A sequence has no gaps while a gateway runs, so what is not there between two numbers was lost. */
async function byGateway(reader: Reader, range: ReportRange): Promise<GatewayTape[]> {
  return reader.$queryRaw<GatewayTape[]>`
    SELECT gateway_id AS id, sum(blocks)::int AS blocks, sum(requests)::float8 AS requests,
      sum(dropped)::float8 AS dropped, sum(bytes)::float8 AS bytes, sum(missing)::int AS missing,
      min(first_at) AS "firstAt", max(last_at) AS "lastAt"
    FROM (
      SELECT gateway_id, count(*) AS blocks, sum(requests) AS requests, sum(dropped) AS dropped,
        sum(size) AS bytes, max(sequence) - min(sequence) + 1 - count(*) AS missing,
        min(from_at) AS first_at, max(to_at) AS last_at
      FROM tape_block WHERE from_at >= ${new Date(range.fromMs)} AND from_at < ${new Date(range.toMs)}
      GROUP BY gateway_id, boot) boots
    GROUP BY gateway_id ORDER BY gateway_id`;
}

async function byShare(reader: Reader, range: ReportRange): Promise<TapeOverview["shares"]> {
  const rows = await reader.tapeBlock.groupBy({
    by: ["sample"],
    where: { fromAt: { gte: new Date(range.fromMs), lt: new Date(range.toMs) } },
    _count: true,
    _sum: { requests: true },
    orderBy: { sample: "desc" },
  });
  return rows.map(({ sample, _count, _sum }) => ({
    percent: sample / 100,
    blocks: _count,
    requests: _sum.requests ?? 0,
  }));
}

async function countClients(reader: Reader, { fromMs, toMs }: ReportRange): Promise<number> {
  const [row] = await reader.$queryRaw<{ clients: number }[]>`
    SELECT count(DISTINCT client)::int AS clients FROM tape_client
    WHERE hour >= date_trunc('hour', ${new Date(fromMs)}::timestamptz) AND hour < ${new Date(toMs)}`;
  return row?.clients ?? 0;
}

async function bySteps(reader: Reader, range: ReportRange): Promise<TapeOverview["series"]> {
  const { fromMs, toMs, stepSeconds } = range;
  const rows = await reader.$queryRaw<{ t: number; requests: number }[]>`
    SELECT (floor(extract(epoch FROM from_at) / ${stepSeconds}::int) * ${stepSeconds}::int)::float8 AS t,
      sum(requests)::float8 AS requests
    FROM tape_block WHERE from_at >= ${new Date(fromMs)} AND from_at < ${new Date(toMs)}
    GROUP BY 1 ORDER BY 1`;
  return rows.map(({ t, requests }) => ({ t: instant(t * 1000), requests }));
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
