import type { Redis } from "ioredis";
import { z } from "zod";
import { ENTRY_FIELD } from "./reports";

/** One entry of a stream. `json` is null when it was cut off by the hard cap before anyone read it. */
export type StreamEntry = { id: string; json: string | null };

/** What the workers read streams as. */
export const INGEST_GROUP = "ingest";

export type StreamReader = { stream: string; group: string; consumer: string };

const EntriesSchema = z.array(z.tuple([z.string(), z.array(z.string()).nullable()]));
const ReadSchema = z.array(z.tuple([z.string(), EntriesSchema])).nullable();
const ClaimSchema = z
  .tuple([z.string(), z.array(z.union([EntriesSchema.element, z.null()]))])
  .rest(z.unknown());
const PendingSchema = z
  .tuple([z.number(), z.string().nullable(), z.string().nullable()])
  .rest(z.unknown());
const PairsSchema = z.array(z.array(z.union([z.string(), z.number(), z.null()])));

/** Makes the group where it is missing, from the stream's beginning; an emptied Redis has neither. */
export async function ensureGroup(redis: Redis, { stream, group }: StreamReader): Promise<void> {
  try {
    await redis.xgroup("CREATE", stream, group, "0", "MKSTREAM");
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("BUSYGROUP"))) throw error;
  }
}

export function isGroupMissing(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOGROUP");
}

/** New entries; waits up to `blockMs` on a connection of its own when there are none. */
export async function readNew(
  blocking: Redis,
  { stream, group, consumer }: StreamReader,
  { count, blockMs }: { count: number; blockMs: number },
): Promise<StreamEntry[]> {
  const reply = await blocking.xreadgroup(
    "GROUP",
    group,
    consumer,
    "COUNT",
    count,
    "BLOCK",
    blockMs,
    "STREAMS",
    stream,
    ">",
  );
  return entriesOf(ReadSchema.parse(reply)?.[0]?.[1] ?? []);
}

/** What this consumer was given earlier and has not acknowledged. */
export async function readOwnPending(
  redis: Redis,
  { stream, group, consumer }: StreamReader,
  count: number,
): Promise<StreamEntry[]> {
  const reply = await redis.xreadgroup(
    "GROUP",
    group,
    consumer,
    "COUNT",
    count,
    "STREAMS",
    stream,
    "0",
  );
  return entriesOf(ReadSchema.parse(reply)?.[0]?.[1] ?? []);
}

/** Takes over what a consumer was given at least `idleMs` ago: it is dead, or hangs. */
export async function claimIdle(
  redis: Redis,
  { stream, group, consumer }: StreamReader,
  { count, idleMs }: { count: number; idleMs: number },
): Promise<StreamEntry[]> {
  const reply = await redis.xautoclaim(stream, group, consumer, idleMs, "0-0", "COUNT", count);
  return entriesOf(ClaimSchema.parse(reply)[1].filter((entry) => entry !== null));
}

export async function acknowledge(
  redis: Redis,
  { stream, group }: StreamReader,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await redis.xack(stream, group, ...ids);
}

/**
 * Drops what every reader is done with. The last delivered id is read before the pending ones, so an entry
 * delivered in between is above it and stays.
 */
export async function trimAcknowledged(redis: Redis, reader: StreamReader): Promise<number> {
  const delivered = await lastDelivered(redis, reader);
  if (delivered === null) return 0;
  const pending = PendingSchema.parse(await redis.xpending(reader.stream, reader.group));
  return redis.xtrim(reader.stream, "MINID", pending[1] ?? after(delivered));
}

/** How old the oldest entry is that is not acknowledged yet, by Redis's clock; null when there is none. */
export async function oldestWaitingMs(redis: Redis, reader: StreamReader): Promise<number | null> {
  const delivered = await lastDelivered(redis, reader);
  const pending =
    delivered === null
      ? null
      : PendingSchema.parse(await redis.xpending(reader.stream, reader.group))[1];
  const next = await redis.xrange(reader.stream, after(delivered ?? "0-0"), "+", "COUNT", 1);
  const waiting = [pending, next[0]?.[0]].filter((id) => id != null).map(entryMs);
  if (waiting.length === 0) return null;
  const [seconds] = await redis.time();
  return Math.max(0, Number(seconds) * 1000 - Math.min(...waiting));
}

/** Forgets consumers that own nothing and have not asked for `idleMs`: one is left behind by each dead worker. */
export async function dropIdleConsumers(
  redis: Redis,
  { stream, group, consumer }: StreamReader,
  idleMs: number,
): Promise<number> {
  const consumers = await infoRows(() => redis.xinfo("CONSUMERS", stream, group));
  let dropped = 0;
  for (const { name, pending, idle } of consumers) {
    if (name === consumer || pending !== 0 || Number(idle) < idleMs) continue;
    await redis.xgroup("DELCONSUMER", stream, group, String(name));
    dropped += 1;
  }
  return dropped;
}

/** When Redis took the entry, in its own time. */
export function entryMs(id: string): number {
  return Number(id.split("-")[0]);
}

async function lastDelivered(
  redis: Redis,
  { stream, group }: StreamReader,
): Promise<string | null> {
  const groups = await infoRows(() => redis.xinfo("GROUPS", stream));
  const found = groups.find(({ name }) => name === group);
  return found === undefined ? null : String(found["last-delivered-id"]);
}

async function infoRows(
  ask: () => Promise<unknown>,
): Promise<Record<string, string | number | null>[]> {
  try {
    return PairsSchema.parse(await ask()).map((pairs) => {
      const row: Record<string, string | number | null> = {};
      for (let i = 0; i + 1 < pairs.length; i += 2) row[String(pairs[i])] = pairs[i + 1] ?? null;
      return row;
    });
  } catch (error) {
    if (error instanceof Error && /no such key|^NOGROUP/.test(error.message)) return [];
    throw error;
  }
}

/** The smallest id above this one. */
function after(id: string): string {
  const [ms = "0", n = "0"] = id.split("-");
  return `${ms}-${BigInt(n) + 1n}`;
}

function entriesOf(entries: z.output<typeof EntriesSchema>): StreamEntry[] {
  return entries.map(([id, fields]) => {
    if (fields === null) return { id, json: null };
    const at = fields.findIndex((field, index) => index % 2 === 0 && field === ENTRY_FIELD);
    return { id, json: at === -1 ? "" : (fields[at + 1] ?? "") };
  });
}
