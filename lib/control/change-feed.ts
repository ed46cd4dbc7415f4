import { CHANGES_CHANNEL } from "@/lib/db/changes";
import { type Listener, listen } from "@/lib/db/listen";
import { OUTBOX_CHANNEL } from "@/lib/db/outbox";
import type { Log } from "@/lib/log";

export type ChangeFeed = {
  /** Calls at each commit that changes what people look at, and whenever one may have been missed: a hint to read again. */
  subscribe(onChange: () => void): () => void;
  close(): Promise<void>;
};

/** A dead connection is noticed this soon. */
const PROBE_MS = 5_000;
const RETRY_MS = 1_000;

/** One connection that listens, opened with the first who subscribes, for all of this process. */
export function createChangeFeed({
  databaseUrl,
  log,
}: {
  databaseUrl: string;
  log: Log;
}): ChangeFeed {
  const subscribers = new Set<() => void>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  function tell(): void {
    for (const onChange of [...subscribers]) onChange();
  }

  async function run(): Promise<void> {
    let isWarned = false;
    while (!closing.signal.aborted) {
      let listener: Listener | undefined;
      try {
        listener = await listen({
          url: databaseUrl,
          name: "headgate-changes",
          channels: [CHANGES_CHANNEL, OUTBOX_CHANNEL],
          onNotice: tell,
        });
        isWarned = false;
        tell();
        for (;;) {
          await rest(PROBE_MS, closing.signal);
          if (closing.signal.aborted) break;
          await listener.probe();
        }
      } catch (error) {
        if (!isWarned) log.warn({ error }, "changes are not heard, pages look on their timer");
        isWarned = true;
      }
      await listener?.end();
      await rest(RETRY_MS, closing.signal);
    }
  }

  return {
    subscribe: (onChange) => {
      subscribers.add(onChange);
      running ??= run();
      return () => void subscribers.delete(onChange);
    },
    close: async () => {
      closing.abort();
      subscribers.clear();
      await running;
    },
  };
}

/** An abort ends it early; it keeps no process alive. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener("abort", end);
  });
}
