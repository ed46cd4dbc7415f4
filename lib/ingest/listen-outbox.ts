import { type Listener, listen } from "@/lib/db/listen";
import { OUTBOX_CHANNEL } from "@/lib/db/outbox";
import { runLoop, type Wake } from "./loop";
import type { WorkerCtx } from "./worker-context";

/** A dead connection is noticed this soon; until then the relay's timer does the work. */
const PROBE_MS = 5_000;

/** Wakes the relay at each commit that has something to announce. */
export async function runListenOutbox(
  ctx: WorkerCtx,
  wake: Wake,
  signal: AbortSignal,
): Promise<void> {
  let listener: Listener | undefined;
  const end = async () => {
    const ended = listener;
    listener = undefined;
    await ended?.end();
  };
  const pass = async () => {
    try {
      if (listener === undefined) {
        listener = await listen({
          url: ctx.config.databaseUrl,
          name: "headgate-outbox",
          channels: [OUTBOX_CHANNEL],
          onNotice: () => wake.wake(),
        });
        // What was committed before we listened.
        wake.wake();
      } else {
        await listener.probe();
      }
    } catch (error) {
      await end();
      throw error;
    }
  };
  await runLoop({ name: "listen-outbox", pass, everyMs: PROBE_MS, log: ctx.log }, signal);
  await end();
}
