/**
 * What the buckets of one rule were asked for, whoever refused it: requests by bucket and tick. Only plain and typed
 * arrays, so that it can be copied to another thread.
 */
export type Demand = {
  /** Epoch, of tick 0. */
  startMs: number;
  tickMs: number;
  /** By bucket: whose first request it was, on which plan. */
  clients: string[];
  plans: string[];
  /** By bucket: its first entry; one more at the end. A bucket's entries are in order of time. */
  starts: Uint32Array;
  /** By entry: the tick, the requests in it, and what they cost in all. */
  tick: Uint32Array;
  requests: Uint32Array;
  tokens: Float64Array;
};

export type DemandRecorder = {
  /** A bucket's index, for `count`. */
  bucketOf(client: string, plan: string): number;
  /** Times must not go backwards. */
  count(bucket: number, atMs: number, cost: number): void;
  demand(): Demand;
};

const FIRST_CAPACITY = 1_024;
/** Of 20 bytes each. */
const ENTRIES_MAX = 1_000_000;
/** Ticks are at least so many to a window, and never longer than a second to begin with. */
const TICKS_A_WINDOW = 120;
const TICK_MAX_MS = 1_000;
const TICK_MIN_MS = 10;
const LONGEST_TICK_MS = 86_400_000;

/**
 * Memory is bounded by clients and by `entriesMax`: where entries become more, ticks become twice as long. `windowMs` is
 * the interval of the rule's limit; shorter ones need shorter ticks.
 */
export function createDemandRecorder({
  windowMs,
  entriesMax = ENTRIES_MAX,
}: {
  windowMs: number;
  entriesMax?: number;
}): DemandRecorder {
  const clients: string[] = [];
  const plans: string[] = [];
  let tickMs = Math.min(TICK_MAX_MS, Math.max(TICK_MIN_MS, windowMs / TICKS_A_WINDOW));
  let startMs = Number.NaN;
  let columns = newColumns(FIRST_CAPACITY);
  let size = 0;
  /** By bucket: its latest entry. */
  let last = new Int32Array(FIRST_CAPACITY).fill(-1);

  /** Every bucket that came on a day takes an entry at least: where these are more, there must be more. */
  function makeRoom(): void {
    if (size < entriesMax) {
      columns = grown(columns, Math.min(entriesMax, 2 * size));
      return;
    }
    while (size > 0.75 * columns.bucket.length && tickMs < LONGEST_TICK_MS) coarsen();
    if (size > 0.75 * columns.bucket.length) columns = grown(columns, 2 * size);
  }

  /** Two ticks become one; entries stay in the order of their first requests. */
  function coarsen(): void {
    tickMs *= 2;
    last.fill(-1);
    const { bucket, tick, requests, tokens } = columns;
    let kept = 0;
    for (let i = 0; i < size; i += 1) {
      const of = bucket[i] ?? 0;
      const at = (tick[i] ?? 0) >>> 1;
      const held = last[of] ?? -1;
      if (held >= 0 && tick[held] === at) {
        requests[held] = (requests[held] ?? 0) + (requests[i] ?? 0);
        tokens[held] = (tokens[held] ?? 0) + (tokens[i] ?? 0);
        continue;
      }
      bucket[kept] = of;
      tick[kept] = at;
      requests[kept] = requests[i] ?? 0;
      tokens[kept] = tokens[i] ?? 0;
      last[of] = kept;
      kept += 1;
    }
    size = kept;
  }

  function count(bucket: number, atMs: number, cost: number): void {
    if (Number.isNaN(startMs)) startMs = atMs;
    const tick = Math.floor((atMs - startMs) / tickMs);
    const held = last[bucket] ?? -1;
    if (held >= 0 && columns.tick[held] === tick) {
      columns.requests[held] = (columns.requests[held] ?? 0) + 1;
      columns.tokens[held] = (columns.tokens[held] ?? 0) + cost;
      return;
    }
    if (size === columns.bucket.length) {
      makeRoom();
      // By longer ticks it may belong to an entry that is there.
      count(bucket, atMs, cost);
      return;
    }
    columns.bucket[size] = bucket;
    columns.tick[size] = tick;
    columns.requests[size] = 1;
    columns.tokens[size] = cost;
    last[bucket] = size;
    size += 1;
  }

  return {
    bucketOf(client, plan) {
      const index = clients.length;
      clients.push(client);
      plans.push(plan);
      if (index === last.length) {
        const more = new Int32Array(2 * index).fill(-1);
        more.set(last);
        last = more;
      }
      return index;
    },
    count,
    demand: () => ({
      startMs: Number.isNaN(startMs) ? 0 : startMs,
      tickMs,
      clients: [...clients],
      plans: [...plans],
      ...byBucket(columns, size, clients.length),
    }),
  };
}

function byBucket(columns: Columns, size: number, buckets: number) {
  const starts = new Uint32Array(buckets + 1);
  for (let i = 0; i < size; i += 1) {
    const after = (columns.bucket[i] ?? 0) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let i = 1; i <= buckets; i += 1) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
  const next = starts.slice();
  const { tick, requests, tokens } = newColumns(size);
  for (let i = 0; i < size; i += 1) {
    const of = columns.bucket[i] ?? 0;
    const at = next[of] ?? 0;
    next[of] = at + 1;
    tick[at] = columns.tick[i] ?? 0;
    requests[at] = columns.requests[i] ?? 0;
    tokens[at] = columns.tokens[i] ?? 0;
  }
  return { starts, tick, requests, tokens };
}

type Columns = Pick<Demand, "tick" | "requests" | "tokens"> & { bucket: Uint32Array };

function newColumns(capacity: number): Columns {
  return {
    bucket: new Uint32Array(capacity),
    tick: new Uint32Array(capacity),
    requests: new Uint32Array(capacity),
    tokens: new Float64Array(capacity),
  };
}

function grown(columns: Columns, capacity: number): Columns {
  const more = newColumns(capacity);
  more.bucket.set(columns.bucket);
  more.tick.set(columns.tick);
  more.requests.set(columns.requests);
  more.tokens.set(columns.tokens);
  return more;
}
