import { setTimeout as sleep } from "node:timers/promises";
import type { AccessLogEntry } from "../core/access-log";

type Send = (entry: AccessLogEntry) => Promise<void>;
type Options = {
  entries: AsyncIterable<AccessLogEntry>;
  send: Send;
  concurrency: number;
  /** Times the log's own pace; null = as fast as answers come. */
  speed: number | null;
  /** A longer silence of the log is cut to this; null = never. */
  maxGapMs: number | null;
  signal: AbortSignal;
};

/** Requests of a busy client that wait for their turn, over all clients. */
const PARKED_MAX = 1_000;
const SLEEP_MAX_MS = 2 ** 30;

/** Sends every entry, at most `concurrency` at a time; tells how many silences were cut short. */
export async function dispatch(options: Options): Promise<{ shortened: number }> {
  const { entries, send, concurrency, signal } = options;
  return options.speed === null
    ? await sendAsFastAsPossible({ entries, send, concurrency, signal })
    : await sendPaced({ ...options, speed: options.speed });
}

/** In order of time; a client's next request leaves only after the answer to its last one. */
async function sendAsFastAsPossible({
  entries,
  send,
  concurrency,
  signal,
}: Pick<Options, "entries" | "send" | "concurrency" | "signal">): Promise<{ shortened: number }> {
  const busy = new Map<string, AccessLogEntry[]>();
  const running = new Set<Promise<void>>();
  let parked = 0;
  const start = (entry: AccessLogEntry, waiting: AccessLogEntry[]): void => {
    busy.set(entry.client, waiting);
    const run = send(entry).finally(() => {
      running.delete(run);
      const next = signal.aborted ? undefined : waiting.shift();
      if (next === undefined) {
        busy.delete(entry.client);
        return;
      }
      parked -= 1;
      start(next, waiting);
    });
    running.add(run);
  };
  for await (const entry of entries) {
    while (!signal.aborted && (running.size >= concurrency || parked >= PARKED_MAX))
      await Promise.race(running);
    if (signal.aborted) break;
    const waiting = busy.get(entry.client);
    if (waiting === undefined) {
      start(entry, []);
    } else {
      waiting.push(entry);
      parked += 1;
    }
  }
  while (running.size > 0) await Promise.race(running);
  return { shortened: 0 };
}

/** At the log's pace: the time between two requests is theirs divided by the speed; a jump back costs nothing. */
async function sendPaced({
  entries,
  send,
  concurrency,
  speed,
  maxGapMs,
  signal,
}: Options & { speed: number }): Promise<{ shortened: number }> {
  const running = new Set<Promise<void>>();
  let shortened = 0;
  let dueMs: number | null = null;
  let lastMs = 0;
  for await (const entry of entries) {
    if (dueMs === null) {
      dueMs = performance.now();
    } else {
      const gapMs = Math.max(0, entry.atMs - lastMs);
      const isLong = maxGapMs !== null && gapMs > maxGapMs;
      if (isLong) shortened += 1;
      dueMs += (isLong ? maxGapMs : gapMs) / speed;
    }
    lastMs = Math.max(lastMs, entry.atMs);
    await untilDue(dueMs, signal);
    while (!signal.aborted && running.size >= concurrency) await Promise.race(running);
    if (signal.aborted) break;
    const run = send(entry).finally(() => running.delete(run));
    running.add(run);
  }
  await Promise.all(running);
  return { shortened };
}

async function untilDue(dueMs: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const leftMs = dueMs - performance.now();
    if (leftMs < 1 || signal.aborted) return;
    await sleep(Math.min(leftMs, SLEEP_MAX_MS), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
