import { COUNTS_KEPT_MS } from "@/lib/control/counts-kept";
import { INGEST_LOCK } from "@/lib/control/ingest-batches";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { WorkerCtx } from "./worker-context";

type Span = "day" | "week" | "month";
type Partitioned = { table: string; column: string; span: Span; keptMs: number };

const PARTITIONED: readonly Partitioned[] = [
  { table: "count_minute", column: "minute", span: "day", keptMs: COUNTS_KEPT_MS.minutes },
  { table: "client_minute", column: "minute", span: "day", keptMs: COUNTS_KEPT_MS.minutes },
  { table: "gateway_minute", column: "minute", span: "day", keptMs: COUNTS_KEPT_MS.minutes },
  { table: "hit_sample", column: "at", span: "day", keptMs: COUNTS_KEPT_MS.hits },
  { table: "count_hour", column: "hour", span: "week", keptMs: COUNTS_KEPT_MS.hours },
  { table: "client_hour", column: "hour", span: "week", keptMs: COUNTS_KEPT_MS.hours },
  { table: "gateway_hour", column: "hour", span: "week", keptMs: COUNTS_KEPT_MS.hours },
  { table: "count_day", column: "day", span: "month", keptMs: COUNTS_KEPT_MS.days },
  { table: "client_day", column: "day", span: "month", keptMs: COUNTS_KEPT_MS.days },
];

/** Made this many spans ahead: without a worker for so long, rows go to the default partition and are moved later. */
const AHEAD = 1;
/** Ingest and reports wait no longer than this for a change of partitions; it is tried again in the next pass. */
const LOCK_TIMEOUT = "2s";
/** Rows that came while there was no partition for them may be many. */
const MOVE_TIMEOUT_MS = 120_000;

export type PartitionChange = { made: string[]; dropped: string[] };

/** Makes the next partitions and drops those that are wholly older than their level is kept. Throws what the last trouble was. */
export async function keepPartitions(ctx: PartitionCtx): Promise<PartitionChange> {
  const nowMs = ctx.clock.nowMs();
  const change: PartitionChange = { made: [], dropped: [] };
  let trouble: unknown;
  for (const one of PARTITIONED) {
    const held = await partitionsOf(ctx, one);
    const missing = wantedSpans(one.span, nowMs).filter(
      ({ fromMs, toMs }) => !held.some((each) => each.fromMs < toMs && each.toMs > fromMs),
    );
    const old = held.filter(({ toMs }) => toMs <= nowMs - one.keptMs);
    for (const each of missing) await attempt(() => makePartition(ctx, one, each), change.made);
    for (const { name } of old) await attempt(() => dropPartition(ctx, name), change.dropped);
  }
  if (change.made.length + change.dropped.length > 0) ctx.log.info(change, "partitions changed");
  if (trouble !== undefined) throw trouble;
  return change;

  /** One that must wait does not keep the others from their turn. */
  async function attempt(work: () => Promise<string>, done: string[]): Promise<void> {
    try {
      done.push(await work());
    } catch (error) {
      trouble = error;
    }
  }
}

/** Default partitions and since when they may hold rows: for what no partition was there for. */
export const DEFAULT_PARTITIONS = PARTITIONED.map(({ table, column, keptMs }) => ({
  table: `${table}_default`,
  column,
  keptMs,
}));

type PartitionCtx = Pick<WorkerCtx, "db" | "clock" | "log">;
type Bounds = { fromMs: number; toMs: number };

async function partitionsOf(
  { db }: PartitionCtx,
  { table }: Partitioned,
): Promise<({ name: string } & Bounds)[]> {
  const rows = await db.$queryRaw<{ name: string; bounds: string }[]>`
    SELECT quote_ident(c.relname) AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = ${table}::regclass`;
  return rows.flatMap(({ name, bounds }) => {
    const [, from, to] = /FROM \('([^']+)'\) TO \('([^']+)'\)/.exec(bounds) ?? [];
    // The session speaks UTC: `2026-11-30 00:00:00+00`.
    return from === undefined || to === undefined
      ? []
      : [{ name, fromMs: Date.parse(from), toMs: Date.parse(to) }];
  });
}

/** The present span and those ahead. */
function wantedSpans(span: Span, nowMs: number): Bounds[] {
  return Array.from({ length: AHEAD + 1 }, (_, i) => ({
    fromMs: spanStart(span, nowMs, i),
    toMs: spanStart(span, nowMs, i + 1),
  }));
}

/** Of UTC; weeks begin on Monday. */
function spanStart(span: Span, nowMs: number, ahead: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (span === "month") return Date.UTC(year, month + ahead, 1);
  if (span === "day") return Date.UTC(year, month, day + ahead);
  const sinceMonday = (now.getUTCDay() + 6) % 7;
  return Date.UTC(year, month, day - sinceMonday + 7 * ahead);
}

/** Attached once it holds what the default partition has of its time, so that nothing is ever in two places or in none. */
async function makePartition(
  { db }: PartitionCtx,
  { table, column }: Partitioned,
  { fromMs, toMs }: Bounds,
): Promise<string> {
  const [from = "", to = ""] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  const name = `${table}_${from.slice(0, 10).replaceAll("-", "")}`;
  // Statements of this file's own names and instants: DDL takes no parameters.
  const isOfIt = `${column} >= '${from}' AND ${column} < '${to}'`;
  await alone(db, async (tx) => {
    // Another worker made it meanwhile.
    const [there] = await tx.$queryRaw<{ name: string | null }[]>`
      SELECT to_regclass(${name})::text AS name`;
    if (there?.name != null) return;
    await tx.$executeRawUnsafe(
      `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    );
    await tx.$executeRawUnsafe(
      `WITH moved AS (DELETE FROM ${table}_default WHERE ${isOfIt} RETURNING *)
       INSERT INTO ${name} SELECT * FROM moved`,
    );
    await tx.$executeRawUnsafe(
      `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
  });
  return name;
}

async function dropPartition({ db }: PartitionCtx, name: string): Promise<string> {
  await alone(db, async (tx) => {
    await tx.$executeRawUnsafe(`DROP TABLE IF EXISTS ${name}`);
  });
  return name;
}

/** Between two ingests: neither waits in the middle of its work for the other. */
async function alone(db: WorkerCtx["db"], work: (tx: Tx) => Promise<void>): Promise<void> {
  await inTransaction(
    db,
    async (tx) => {
      await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${INGEST_LOCK})`;
      await work(tx);
    },
    { timeoutMs: MOVE_TIMEOUT_MS },
  );
}
