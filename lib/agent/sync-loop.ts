import type { Log } from "@/lib/log";

type Options<Reason extends string> = {
  /** Compares and, if needed, applies. Called once at a time; the timer says "poll". */
  run(reason: Reason | "poll"): Promise<void>;
  /** The pause between runs is this, give or take a fifth, so that a fleet does not ask in step. */
  intervalMs: number;
  what: string;
  log: Log;
};

export type SyncLoop<Reason extends string> = {
  /** Resolves after a run that began after this call. */
  trigger(reason: Reason): Promise<void>;
  close(): Promise<void>;
};

/** Runs on its timer and on triggers. What comes during a run is one more run after it. */
export function createSyncLoop<Reason extends string>({
  run,
  intervalMs,
  what,
  log,
}: Options<Reason>): SyncLoop<Reason> {
  let wanted: Wanted<Reason | "poll"> | null = null;
  let draining: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function trigger(reason: Reason | "poll"): Promise<void> {
    if (isClosed) return Promise.resolve();
    wanted ??= want(reason);
    const { done } = wanted;
    draining ??= drain();
    return done;
  }

  async function drain(): Promise<void> {
    clearTimeout(timer);
    while (wanted !== null && !isClosed) {
      const { reason, resolve } = wanted;
      wanted = null;
      try {
        await run(reason);
      } catch (error) {
        log.error({ error, what, reason }, "sync failed unexpectedly, tries again");
      }
      resolve();
    }
    wanted?.resolve();
    draining = null;
    if (!isClosed)
      timer = setTimeout(() => void trigger("poll"), intervalMs * (0.8 + Math.random() * 0.4));
  }

  return {
    trigger,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await draining;
    },
  };
}

type Wanted<Reason> = { reason: Reason; done: Promise<void>; resolve(): void };

function want<Reason>(reason: Reason): Wanted<Reason> {
  let resolve = () => {};
  const done = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { reason, done, resolve };
}
