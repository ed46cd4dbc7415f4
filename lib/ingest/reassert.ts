import { measureFleet } from "@/lib/control/fleet";
import { putFleetSize } from "@/lib/redis/reports";
import { advanceDirectory, compactDirectory } from "./advance-directory";
import { announceVersion, reassertVersion } from "./announce-version";
import { runLoop } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** Each so many passes the document is sent although its version is there: it may be damaged or signed with a secret no longer in use. */
const WHOLE_EVERY = 12;

/** Says again what Redis should hold, so that one that was emptied, restored or cut off heals. */
export function runReassert(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  let passes = 0;
  const pass = async () => {
    await reassert(ctx, { isWhole: passes % WHOLE_EVERY === 0 });
    passes += 1;
  };
  return runLoop({ name: "reassert", pass, everyMs: ctx.timings.reassertMs, log: ctx.log }, signal);
}

export async function reassert(ctx: WorkerCtx, { isWhole }: { isWhole: boolean }): Promise<void> {
  if (isWhole) await announceVersion(ctx);
  else await reassertVersion(ctx);
  await advanceDirectory(ctx);
  await putFleetSize(ctx.redis, ctx.redisKeys, await measureFleet(ctx.db, ctx.clock.nowMs()));
  await compactDirectory(ctx);
}
