import type { CountBatch } from "@/lib/core/counts";
import { inTransaction } from "@/lib/db/client";
import { isDataError } from "@/lib/db/sql-state";
import { clockDate } from "./clock-date";
import type { Control } from "./context";
import { COUNTS_KEPT_MS } from "./counts-kept";
import { ingestBatches } from "./ingest-batches";
import { setAside, type Unstorable } from "./set-aside";

/** A batch as it came: `id` names it where it came from. */
export type ReceivedBatch = { id: string; batch: CountBatch };

type Input = {
  /** A stream's name, or `http`. */
  source: string;
  received: readonly ReceivedBatch[];
  /** What was not even a batch. */
  unreadable?: readonly Unstorable[];
};

/**
 * Stores what can be stored and sets the rest aside. One transaction for all; if Postgres refuses the values of
 * one, one for each, so that only that one is set aside. Throws when the database is away: then nothing is lost.
 */
export async function takeBatches(
  ctx: Pick<Control, "db" | "clock" | "log">,
  { source, received, unreadable = [] }: Input,
): Promise<void> {
  const nowMs = ctx.clock.nowMs();
  const timely: ReceivedBatch[] = [];
  const wrong = [...unreadable];
  for (const one of received) {
    const reason = wrongTime(one.batch, nowMs);
    if (reason === null) timely.push(one);
    else wrong.push(unstorable(one, reason));
  }
  try {
    await store(ctx, { source, batches: timely, wrong });
  } catch (error) {
    if (!isDataError(error)) throw error;
    await store(ctx, { source, batches: [], wrong });
    for (const one of timely) await storeAlone(ctx, source, one);
  }
}

async function storeAlone(
  ctx: Pick<Control, "db" | "log">,
  source: string,
  one: ReceivedBatch,
): Promise<void> {
  try {
    await store(ctx, { source, batches: [one], wrong: [] });
  } catch (error) {
    if (!isDataError(error) || !(error instanceof Error)) throw error;
    const wrong = [unstorable(one, `Postgres refused it: ${error.message}`)];
    await store(ctx, { source, batches: [], wrong });
  }
}

type Stored = {
  source: string;
  batches: readonly ReceivedBatch[];
  wrong: readonly Unstorable[];
};

async function store(
  { db, log }: Pick<Control, "db" | "log">,
  { source, batches, wrong }: Stored,
): Promise<void> {
  if (batches.length === 0 && wrong.length === 0) return;
  await inTransaction(db, async (tx) => {
    await setAside(tx, { log, source, entries: wrong });
    await ingestBatches(
      tx,
      batches.map(({ batch }) => batch),
    );
  });
}

function unstorable({ id, batch }: ReceivedBatch, reason: string): Unstorable {
  return { id, payload: JSON.stringify(batch), reason };
}

/** A gateway whose clock is far ahead would fill minutes that reports and retention reach much later. */
const AHEAD_MAX_MS = 600_000;
/** Older minutes may be gone, and what is added to them would be in no report of minutes. */
const AGE_MAX_MS = COUNTS_KEPT_MS.minutes;

function wrongTime({ fromMs, toMs, counts, clients }: CountBatch, nowMs: number): string | null {
  const times = [
    fromMs,
    toMs,
    ...counts.map(({ second }) => second * 1000),
    ...clients.map(({ minute }) => minute * 60_000),
  ];
  const wrong = times.find((ms) => ms > nowMs + AHEAD_MAX_MS || ms < nowMs - AGE_MAX_MS);
  if (wrong === undefined) return null;
  const allowed = `${AGE_MAX_MS / 86_400_000} days back to ${AHEAD_MAX_MS / 60_000} min ahead`;
  return `its time ${wrong} (${clockDate(wrong).toISOString()}) must be from ${allowed} of ${new Date(nowMs).toISOString()}`;
}
