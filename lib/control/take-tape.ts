import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import { AppError } from "@/lib/core/errors";
import { decodeTapeBlock, type TapeRequest } from "@/lib/core/tape-block";
import type { TapeEntry } from "@/lib/core/tape-entry";
import { tapeSample } from "@/lib/core/tape-sample";
import { inTransaction, type Tx } from "@/lib/db/client";
import { isDataError } from "@/lib/db/sql-state";
import { clockDate } from "./clock-date";
import type { Control } from "./context";
import { setAside, type Unstorable } from "./set-aside";
import { TAPE_KEPT_MS } from "./tape-kept";

const inflate = promisify(inflateRaw);

/** Inflated, a block of a gateway's size has a tenth of it: beyond this it is a bomb. */
const INFLATED_MAX = 16_777_216;
const AHEAD_MAX_MS = 600_000;
const HOUR_MS = 3_600_000;

/** A block as it came: `id` names it where it came from. */
export type ReceivedBlock = { id: string; block: TapeEntry };

type Input = {
  source: string;
  received: readonly ReceivedBlock[];
  /** What was not even an entry. */
  unreadable?: readonly Unstorable[];
};

type ReadBlock = ReceivedBlock & { bytes: Buffer; requests: TapeRequest[] };

/**
 * Stores each block once, whoever brings it and how often, and sets aside what cannot be read, so that a backtest
 * meets no block that it cannot decode. Throws when the database is away: then nothing is lost.
 */
export async function takeTape(
  ctx: Pick<Control, "db" | "clock" | "log">,
  { source, received, unreadable = [] }: Input,
): Promise<void> {
  const blocks: ReadBlock[] = [];
  const wrong = [...unreadable];
  for (const one of received) {
    const read = await readBlock(one, ctx.clock.nowMs());
    if ("reason" in read) wrong.push(unstorable(one, read.reason));
    else blocks.push(read);
  }
  try {
    await store(ctx, { source, blocks, wrong });
  } catch (error) {
    if (!isDataError(error)) throw error;
    await store(ctx, { source, blocks: [], wrong });
    for (const block of blocks) await storeAlone(ctx, source, block);
  }
}

async function readBlock(
  one: ReceivedBlock,
  nowMs: number,
): Promise<ReadBlock | { reason: string }> {
  const { fromMs, toMs, requests: told } = one.block;
  const late = [fromMs, toMs].find((ms) => ms > nowMs + AHEAD_MAX_MS || ms < nowMs - TAPE_KEPT_MS);
  if (late !== undefined)
    return { reason: `its time ${late} is not one that a tape of now may have` };
  const bytes = Buffer.from(one.block.bytes, "base64");
  try {
    const requests = decodeTapeBlock(await inflate(bytes, { maxOutputLength: INFLATED_MAX }));
    if (requests.length !== told)
      return { reason: `it says ${told} requests and holds ${requests.length}` };
    return { ...one, bytes, requests };
  } catch (error) {
    if (error instanceof AppError) return { reason: error.message };
    if (error instanceof Error && "code" in error)
      return { reason: `its bytes cannot be inflated: ${error.message}` };
    throw error;
  }
}

async function storeAlone(
  ctx: Pick<Control, "db" | "log">,
  source: string,
  block: ReadBlock,
): Promise<void> {
  try {
    await store(ctx, { source, blocks: [block], wrong: [] });
  } catch (error) {
    if (!isDataError(error) || !(error instanceof Error)) throw error;
    const wrong = [unstorable(block, `Postgres refused it: ${error.message}`)];
    await store(ctx, { source, blocks: [], wrong });
  }
}

type Stored = {
  source: string;
  blocks: readonly ReadBlock[];
  wrong: readonly Unstorable[];
};

async function store(
  { db, log }: Pick<Control, "db" | "log">,
  { source, blocks, wrong }: Stored,
): Promise<void> {
  if (blocks.length === 0 && wrong.length === 0) return;
  await inTransaction(db, async (tx) => {
    await setAside(tx, { log, source, entries: wrong });
    await addBlocks(tx, blocks);
    await addClients(tx, blocks);
  });
}

async function addBlocks(tx: Tx, blocks: readonly ReadBlock[]): Promise<void> {
  if (blocks.length === 0) return;
  await tx.tapeBlock.createMany({
    data: blocks.map(({ block, bytes, requests }) => ({
      gatewayId: block.gateway,
      boot: block.boot,
      sequence: block.sequence,
      fromAt: clockDate(Math.min(block.fromMs, block.toMs)),
      toAt: clockDate(Math.max(block.fromMs, block.toMs)),
      sample: tapeSample(block.percent),
      requests: requests.length,
      dropped: Math.min(block.dropped, 2_147_483_647),
      size: bytes.length,
      bytes: new Uint8Array(bytes),
    })),
    skipDuplicates: true,
  });
}

/** In one order, so that two workers that meet the same clients do not wait for each other. */
async function addClients(tx: Tx, blocks: readonly ReadBlock[]): Promise<void> {
  const hours = new Map<number, Set<string>>();
  for (const { block, requests } of blocks) {
    const hour = Math.floor(Math.min(block.fromMs, block.toMs) / HOUR_MS) * HOUR_MS;
    const clients = hours.get(hour) ?? new Set();
    hours.set(hour, clients);
    for (const { client } of requests) clients.add(client);
  }
  const rows = [...hours].flatMap(([hour, clients]) =>
    [...clients].map((client) => ({ hour: hour / 1000, client })),
  );
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO tape_client (hour, client)
    SELECT to_timestamp(r.hour), r.client
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(hour bigint, client text)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING`;
}

function unstorable({ id, block }: ReceivedBlock, reason: string): Unstorable {
  return { id, payload: JSON.stringify(block), reason };
}
