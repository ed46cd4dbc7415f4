import type { CountBatch } from "@/lib/core/counts";
import { AppError } from "@/lib/core/errors";
import type { Log } from "@/lib/log";
import { reasonOf } from "@/lib/redis/reason";
import type { Counted } from "./counts";

/** Rows kept while nobody takes them, about 60 MB: an hour of a gateway with a thousand clients in trouble. */
const KEPT_ROWS_MAX = 200_000;
const KEPT_BATCHES_MAX = 3_600;

export type BatchQueue = {
  push(counted: Counted): void;
  /** Sends what is there, oldest first, until one is not taken. One at a time. */
  flush(): Promise<void>;
  waiting(): number;
  /** Batches given up since the start. */
  dropped(): number;
};

type Options = {
  environment: string;
  gateway: string;
  boot: string;
  /**
   * Throws when the batch was not, or perhaps not, taken: it is sent again under its number. Only an AppError
   * `invalid` says that it never will be.
   */
  send(batch: CountBatch): Promise<void>;
  log: Log;
  keptRowsMax?: number;
  keptBatchesMax?: number;
};

/**
 * Numbers batches when they are first sent, so that what is given up before leaves no gap: it is in `dropped`
 * of the next one. One that may have arrived keeps its number; ingest takes a number once.
 */
export function createBatchQueue(options: Options): BatchQueue {
  const { environment, gateway, boot, send, log } = options;
  const rowsMax = options.keptRowsMax ?? KEPT_ROWS_MAX;
  const batchesMax = options.keptBatchesMax ?? KEPT_BATCHES_MAX;
  const waiting: Counted[] = [];
  let tried: CountBatch | null = null;
  let sequence = 0;
  let rows = 0;
  let droppedBatches = 0;
  let flushing: Promise<void> | null = null;

  function push(counted: Counted): void {
    waiting.push(counted);
    rows += rowsOf(counted);
    while ((rows > rowsMax || waiting.length > batchesMax) && waiting.length > 1) giveUpOldest();
  }

  function giveUpOldest(): void {
    const oldest = waiting.shift();
    const next = waiting[0];
    if (oldest === undefined || next === undefined) return;
    rows -= rowsOf(oldest);
    if (droppedBatches === 0) log.error({ waiting: waiting.length }, "counts are being lost");
    droppedBatches += 1;
    next.fromMs = oldest.fromMs;
    next.dropped = {
      requests: next.dropped.requests + oldest.dropped.requests + oldest.traffic.requests,
      clients: next.dropped.clients + oldest.dropped.clients + oldest.clients.length,
      hits: next.dropped.hits + oldest.dropped.hits + oldest.hits.length,
    };
  }

  async function sendAll(): Promise<void> {
    for (;;) {
      if (tried === null) {
        const oldest = waiting.shift();
        if (oldest === undefined) return;
        rows -= rowsOf(oldest);
        sequence += 1;
        tried = { schema: 1, environment, gateway, boot, sequence, ...oldest };
      }
      try {
        await send(tried);
      } catch (error) {
        if (!isRefused(error)) {
          log.debug({ reason: reasonOf(error), waiting: waiting.length }, "counts wait");
          return;
        }
        // Its number stays unused, so the loss shows as a missing batch; the next ones go on.
        log.error({ reason: reasonOf(error), sequence }, "counts were refused and are lost");
        droppedBatches += 1;
      }
      tried = null;
    }
  }

  return {
    push,
    flush: () => {
      flushing ??= sendAll().finally(() => {
        flushing = null;
      });
      return flushing;
    },
    waiting: () => waiting.length + (tried === null ? 0 : 1),
    dropped: () => droppedBatches,
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof AppError && error.code === "invalid";
}

function rowsOf({ counts, clients, hits }: Counted): number {
  return counts.length + clients.length + hits.length;
}
