import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import type { BacktestRequest } from "@/lib/core/backtest-result";
import { OTHER_ROUTE } from "@/lib/core/counts";
import { decodeTapeBlock, type TapeRequest } from "@/lib/core/tape-block";
import { isInTapeSample } from "@/lib/core/tape-sample";
import type { Database } from "@/lib/db/client";
import type { TapeBlock } from "@/lib/db/generated/client";

const inflate = promisify(inflateRaw);
const BLOCKS_A_PAGE = 50;
/** Longer than a block can be: one that began before the interval may reach into it. */
const BLOCK_LENGTH_MS = 600_000;
const DRAWS_KEPT = 200_000;
const PREFLIGHT_HEADERS = { origin: "-", "access-control-request-method": "-" };

export type TapeRange = { fromMs: number; toMs: number };

/** What there is of an interval. */
export type TapeFigures = {
  requests: number;
  blocks: number;
  /** Of 10,000 clients, those that are on tape in every block. */
  sample: number;
  /** Whether some blocks have more clients than that. */
  isMixed: boolean;
  dropped: number;
  missingBlocks: number;
};

export async function tapeFigures(db: Database, range: TapeRange): Promise<TapeFigures> {
  const [row] = await db.$queryRaw<
    {
      requests: number;
      blocks: number;
      least: number | null;
      most: number | null;
      dropped: number;
    }[]
  >`
    SELECT COALESCE(sum(requests), 0)::float8 AS requests, count(*)::int AS blocks,
      min(sample) AS least, max(sample) AS most, COALESCE(sum(dropped), 0)::float8 AS dropped
    FROM tape_block
    WHERE from_at >= ${new Date(range.fromMs)} AND from_at < ${new Date(range.toMs)}`;
  const [gaps] = await db.$queryRaw<{ missing: number }[]>`
    SELECT COALESCE(sum(missing), 0)::int AS missing FROM (
      SELECT max(sequence) - min(sequence) + 1 - count(*) AS missing FROM tape_block
      WHERE from_at >= ${new Date(range.fromMs)} AND from_at < ${new Date(range.toMs)}
      GROUP BY gateway_id, boot) boots`;
  return {
    requests: row?.requests ?? 0,
    blocks: row?.blocks ?? 0,
    sample: row?.least ?? 10_000,
    isMixed: row !== undefined && row.least !== row.most,
    dropped: row?.dropped ?? 0,
    missingBlocks: gaps?.missing ?? 0,
  };
}

export type TapeSlice = {
  requests: BacktestRequest[];
  /** Requests read so far, others' and those outside of the interval included. */
  read: number;
  /** Of those in `requests`, refused then. */
  refusedThen: number;
  /** Of those in `requests`, with a path that no route of then fitted. */
  routeless: number;
};

/**
 * The requests of an interval in the order of their times, of the clients that are in the sample. Blocks of several
 * gateways overlap: a request waits until every block that may have an earlier one was read.
 */
export async function* readTape(
  db: Database,
  { fromMs, toMs }: TapeRange,
  sample: number,
): AsyncGenerator<TapeSlice> {
  const isWanted = createFilter({ fromMs, toMs }, sample);
  let held: TapeRequest[] = [];
  let read = 0;
  let after: TapeBlock | undefined;
  for (;;) {
    const blocks = await nextBlocks(db, { fromMs, toMs }, after);
    const last = blocks.at(-1);
    if (last === undefined) break;
    for (const { bytes } of blocks) {
      const requests = decodeTapeBlock(await inflate(bytes));
      read += requests.length;
      for (const request of requests) if (isWanted(request)) held.push(request);
    }
    after = last;
    held.sort(byTime);
    const reachedUs = last.fromAt.getTime() * 1000;
    const end = held.findIndex(({ atUs }) => atUs >= reachedUs);
    const ready = held.splice(0, end === -1 ? held.length : end);
    if (ready.length > 0) yield sliceOf(ready, read);
  }
  held = held.sort(byTime);
  yield sliceOf(held, read);
}

function nextBlocks(
  db: Database,
  { fromMs, toMs }: TapeRange,
  after: TapeBlock | undefined,
): Promise<TapeBlock[]> {
  const key = ({ gatewayId, boot, sequence }: TapeBlock) => ({
    gatewayId_boot_sequence: { gatewayId, boot, sequence },
  });
  return db.tapeBlock.findMany({
    where: { fromAt: { gte: new Date(fromMs - BLOCK_LENGTH_MS), lt: new Date(toMs) } },
    orderBy: [{ fromAt: "asc" }, { gatewayId: "asc" }, { boot: "asc" }, { sequence: "asc" }],
    take: BLOCKS_A_PAGE,
    ...(after === undefined ? {} : { cursor: key(after), skip: 1 }),
  });
}

function createFilter({ fromMs, toMs }: TapeRange, sample: number) {
  const draws = new Map<string, boolean>();
  return ({ atUs, client }: TapeRequest): boolean => {
    if (atUs < fromMs * 1000 || atUs >= toMs * 1000) return false;
    if (sample >= 10_000) return true;
    let isIn = draws.get(client);
    if (isIn === undefined) {
      isIn = isInTapeSample(client, sample);
      if (draws.size >= DRAWS_KEPT) draws.clear();
      draws.set(client, isIn);
    }
    return isIn;
  };
}

function byTime(a: TapeRequest, b: TapeRequest): number {
  return a.atUs - b.atUs;
}

function sliceOf(requests: readonly TapeRequest[], read: number): TapeSlice {
  const count = (is: (request: TapeRequest) => boolean) => requests.filter(is).length;
  return {
    requests: requests.flatMap(backtestRequest),
    read,
    refusedThen: count(({ refused }) => refused),
    routeless: count(({ route }) => route === OTHER_ROUTE),
  };
}

/** The route stands for the path, of which nothing else is known. */
function backtestRequest(request: TapeRequest): BacktestRequest[] {
  const { atUs, client, plan, customer, ip, method, route, preflight } = request;
  if (!isClient(client)) return [];
  return [
    {
      atMs: atUs / 1000,
      client,
      plan,
      customer,
      ip,
      method,
      path: route.startsWith("/") ? route : `/${route}`,
      route,
      ...(preflight && { headers: PREFLIGHT_HEADERS }),
    },
  ];
}

function isClient(client: string): client is BacktestRequest["client"] {
  return client.startsWith("key:") || client.startsWith("ip:");
}
