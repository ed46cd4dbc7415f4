import { raiseEpoch } from "@/lib/control";
import { withDirectoryBase } from "@/lib/control/directory-base";
import { getInstallation } from "@/lib/control/live-version";
import type { DirectoryPosition } from "@/lib/core/directory";
import { inTransaction, type Tx } from "@/lib/db/client";
import { deltaBytes, directoryDeltas } from "@/lib/db/directory";
import {
  appendDirectoryDelta,
  readDeltaRange,
  readDirectoryPosition,
  writeDirectoryBase,
} from "@/lib/redis/directory";
import { publishNotice } from "@/lib/redis/notices";
import type { WorkerCtx } from "./worker-context";

/** "dire" in ASCII: one worker at a time appends, so that deltas go in their order. */
const APPEND_LOCK = 0x64697265;
/** "base": one at a time builds, while others go on appending. */
const BASE_LOCK = 0x62617365;
/** Deltas behind the base before it is written anew; the stream keeps twice as many. */
const COMPACT_AFTER = 5_000;
/** The same in bytes: an import's steps are large. */
const COMPACT_AFTER_BYTES = 32 * 1024 * 1024;
const DELTAS_PER_STEP = 100;
/** Two million keys take seconds, on a busy machine minutes. */
const BUILD_TIMEOUT_MS = 600_000;

/**
 * Brings the directory in Redis up to the database's: what follows the newest delta there is appended in order; a
 * base that is absent, of another epoch or not joined to the stream is built anew. Tells the fleet.
 */
export async function advanceDirectory(ctx: WorkerCtx): Promise<DirectoryPosition> {
  const position = (await appendNew(ctx)) ?? (await rebuild(ctx, async () => false));
  await publishNotice(ctx.redis, ctx.redisKeys, { kind: "directory", ...position });
  return position;
}

/** Writes the base anew once much has come after it. Deltas reach the fleet meanwhile. */
export async function compactDirectory(ctx: WorkerCtx): Promise<void> {
  const isLong = async () => {
    const base = await readDirectoryPosition(ctx.redis, ctx.redisKeys);
    const { epoch, directorySeq } = await getInstallation(ctx.db);
    if (base === null || base.epoch !== epoch) return false;
    if (directorySeq - base.seq > COMPACT_AFTER) return true;
    return (await deltaBytes(ctx.db, base)) > COMPACT_AFTER_BYTES;
  };
  if (await isLong()) await rebuild(ctx, isLong);
}

/** Null when the base must be built anew. */
function appendNew(ctx: WorkerCtx): Promise<DirectoryPosition | null> {
  return inTransaction(
    ctx.db,
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${APPEND_LOCK})`;
      return follow(ctx, tx);
    },
    { timeoutMs: BUILD_TIMEOUT_MS },
  );
}

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
  return isJoined ? append(ctx, tx, { from: { epoch, seq }, atLeast: directorySeq }) : null;
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

/** Unless another worker did while this one waited. */
function rebuild(ctx: WorkerCtx, isStillLong: () => Promise<boolean>): Promise<DirectoryPosition> {
  return inTransaction(
    ctx.db,
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${BASE_LOCK})`;
      const found = await appendNew(ctx);
      if (found !== null && !(await isStillLong())) return found;
      const startMs = ctx.clock.monotonicMs();
      const { epoch, seq, expected } = await withDirectoryBase(ctx, async (head, chunks) => {
        await writeDirectoryBase(ctx.redis, ctx.redisKeys, head, chunks);
        return head;
      });
      const tookMs = Math.round(ctx.clock.monotonicMs() - startMs);
      ctx.log.info({ epoch, seq, ...expected, tookMs }, "directory base written");
      return (await appendNew(ctx)) ?? { epoch, seq };
    },
    { timeoutMs: BUILD_TIMEOUT_MS },
  );
}
