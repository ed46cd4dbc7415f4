import { raiseEpoch } from "@/lib/control";
import { directoryBase } from "@/lib/control/directory-base";
import { getInstallation } from "@/lib/control/live-version";
import type { DirectoryPosition } from "@/lib/core/directory";
import { inTransaction, type Tx } from "@/lib/db/client";
import { directoryDeltas } from "@/lib/db/directory";
import {
  appendDirectoryDelta,
  putDirectoryBase,
  readDeltaRange,
  readDirectoryPosition,
} from "@/lib/redis/directory";
import { publishNotice } from "@/lib/redis/notices";
import type { WorkerCtx } from "./worker-context";

/** "dire" in ASCII: one worker at a time appends, so that deltas go in their order. */
const DIRECTORY_LOCK = 0x64697265;
/** Deltas behind the base before it is written anew; the stream keeps twice as many. */
const COMPACT_AFTER = 5_000;
const DELTAS_PER_STEP = 500;

/**
 * Brings the directory in Redis up to the database's: what follows the newest delta there is appended in order; a
 * base that is absent, of another epoch, too far behind or not joined to the stream is built anew. Tells the fleet.
 */
export async function advanceDirectory(ctx: WorkerCtx): Promise<DirectoryPosition> {
  const position = await inTransaction(ctx.db, async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${DIRECTORY_LOCK})`;
    return (await follow(ctx, tx)) ?? rebuild(ctx);
  });
  await publishNotice(ctx.redis, ctx.redisKeys, { kind: "directory", ...position });
  return position;
}

/** Null when the base must be built anew. */
async function follow(ctx: WorkerCtx, tx: Tx): Promise<DirectoryPosition | null> {
  // Redis first: a healthy database is never behind what was read before it.
  const base = await readDirectoryPosition(ctx.redis, ctx.redisKeys);
  const range = await readDeltaRange(ctx.redis, ctx.redisKeys);
  const { epoch, version, directorySeq } = await getInstallation(tx);
  if (base === null || base.epoch < epoch) return null;
  const seq = Math.max(base.seq, range?.last.epoch === base.epoch ? range.last.seq : 0);
  if (base.epoch > epoch || seq > directorySeq) {
    // A restored database: the fleet has steps that it does not know.
    const seen = { epoch: base.epoch, version: base.epoch > epoch ? 0 : version + 1 };
    await raiseEpoch(ctx, { seen });
    ctx.log.warn({ base, seq, directorySeq }, "met a directory that this database does not know");
    return null;
  }
  const isJoined = range === null || range.first.seq <= base.seq + 1;
  if (!isJoined || directorySeq - base.seq > COMPACT_AFTER) return null;
  return append(ctx, tx, { from: { epoch, seq }, atLeast: directorySeq });
}

async function append(
  ctx: WorkerCtx,
  tx: Tx,
  { from, atLeast }: { from: DirectoryPosition; atLeast: number },
): Promise<DirectoryPosition | null> {
  let { seq } = from;
  for (;;) {
    const deltas = await directoryDeltas(tx, { epoch: from.epoch, seq, count: DELTAS_PER_STEP });
    for (const delta of deltas) {
      if (delta.seq !== seq + 1) return null;
      await appendDirectoryDelta(ctx.redis, ctx.redisKeys, delta);
      seq = delta.seq;
    }
    if (deltas.length < DELTAS_PER_STEP) break;
  }
  // Steps without their rows: pruned, or of before a rise of the epoch. `atLeast` was read before the rows: a step
  // that was committed since is not missing, its own outbox row carries it.
  return seq < atLeast ? null : { epoch: from.epoch, seq };
}

async function rebuild(ctx: WorkerCtx): Promise<DirectoryPosition> {
  const base = await directoryBase(ctx);
  await putDirectoryBase(ctx.redis, ctx.redisKeys, base);
  const { epoch, seq, entries } = base;
  ctx.log.info({ epoch, seq, entries: entries.length }, "directory base written");
  return { epoch, seq };
}
