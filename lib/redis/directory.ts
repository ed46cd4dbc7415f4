import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import {
  type DirectoryDelta,
  DirectoryDeltaSchema,
  type DirectoryHead,
  DirectoryHeadSchema,
  type DirectoryPosition,
} from "@/lib/core/directory";
import { AppError } from "@/lib/core/errors";
import type { ControlKeys } from "./control-keys";

/** Deltas kept in the stream; a gateway further behind loads the base again. */
const DELTAS_KEPT = 10_000;
/** A base whose writer died is gone after this. */
const UNFINISHED_SECONDS = 900;

// KEYS hash, delta stream, the new hash; ARGV epoch, seq. Deltas that the base contains go, a new epoch begins the
// stream anew. Returns 1 taken, 0 an equal or newer base was there.
const TAKE_BASE = `
local held = redis.call("HMGET", KEYS[1], "epoch", "seq", "chunks")
local epoch, seq = tonumber(held[1]), tonumber(held[2])
local newEpoch, newSeq = tonumber(ARGV[1]), tonumber(ARGV[2])
if epoch and held[3] and (epoch > newEpoch or (epoch == newEpoch and seq >= newSeq)) then
  redis.call("UNLINK", KEYS[3])
  return 0
end
if epoch and epoch < newEpoch then
  redis.call("DEL", KEYS[2])
else
  redis.call("XTRIM", KEYS[2], "MINID", string.format("%d-0", newSeq + 1))
end
redis.call("UNLINK", KEYS[1])
redis.call("RENAME", KEYS[3], KEYS[1])
redis.call("PERSIST", KEYS[1])
return 1
`;

// The id is the sequence, so Redis itself keeps the order. KEYS stream; ARGV seq, delta, max length.
// Returns 1 appended, 0 it was there.
const APPEND_DELTA = `
local last = redis.call("XREVRANGE", KEYS[1], "+", "-", "COUNT", 1)
if last[1] then
  local at = tonumber(string.match(last[1][1], "^(%d+)"))
  if at >= tonumber(ARGV[1]) then return 0 end
end
redis.call("XADD", KEYS[1], "MAXLEN", "~", ARGV[3], ARGV[1] .. "-0", "delta", ARGV[2])
return 1
`;

/** Writes a base beside the one that is there, chunk by chunk, and then puts it in its place. */
export async function writeDirectoryBase(
  redis: Redis,
  keys: ControlKeys,
  head: DirectoryHead,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const fresh = `${keys.directory}:${randomBytes(8).toString("hex")}`;
  let count = 0;
  for await (const chunk of chunks) {
    await redis.hset(fresh, String(count), Buffer.from(chunk));
    if (count === 0) await redis.expire(fresh, UNFINISHED_SECONDS);
    count += 1;
  }
  const { epoch, seq } = head;
  await redis.hset(fresh, { epoch, seq, chunks: count, head: JSON.stringify(head) });
  const reply = await redis.eval(
    TAKE_BASE,
    3,
    keys.directory,
    keys.directoryDeltas,
    fresh,
    epoch,
    seq,
  );
  return reply === 1;
}

export async function appendDirectoryDelta(
  redis: Redis,
  keys: ControlKeys,
  delta: DirectoryDelta,
): Promise<boolean> {
  const reply = await redis.eval(
    APPEND_DELTA,
    1,
    keys.directoryDeltas,
    delta.seq,
    JSON.stringify(delta),
    DELTAS_KEPT,
  );
  return reply === 1;
}

/** Where the base in Redis stands; null if there is none that can be read. */
export async function readDirectoryPosition(
  redis: Redis,
  keys: ControlKeys,
): Promise<DirectoryPosition | null> {
  const [epoch, seq, chunks] = await redis.hmget(keys.directory, "epoch", "seq", "chunks");
  if (epoch == null || seq == null || chunks == null) return null;
  return { epoch: Number(epoch), seq: Number(seq) };
}

export type DirectoryStream = { head: DirectoryHead; chunks: AsyncGenerator<Uint8Array> };

/** Null if there is none. Its chunks throw `unavailable` once another base takes its place. */
export async function readDirectoryBase(
  redis: Redis,
  keys: ControlKeys,
): Promise<DirectoryStream | null> {
  const [text, count] = await redis.hmget(keys.directory, "head", "chunks");
  if (text == null || count == null) return null;
  const head = DirectoryHeadSchema.parse(JSON.parse(text));
  return { head, chunks: chunksOf(redis, keys, { ...head, count: Number(count) }) };
}

async function* chunksOf(
  redis: Redis,
  keys: ControlKeys,
  { epoch, seq, count }: DirectoryPosition & { count: number },
): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i += 1) {
    // In one reply, so that the chunk is of the base that was begun.
    const [at, step, chunk] = await redis.hmgetBuffer(keys.directory, "epoch", "seq", String(i));
    if (Number(at?.toString()) !== epoch || Number(step?.toString()) !== seq || chunk == null)
      throw new AppError(
        "unavailable",
        `the directory's base at ${epoch}.${seq} was replaced while it was read`,
      );
    yield chunk;
  }
}

/** The stream's oldest and newest delta; null when there is none. */
export async function readDeltaRange(
  redis: Redis,
  keys: ControlKeys,
): Promise<{ first: DirectoryPosition; last: DirectoryPosition } | null> {
  const [oldest, newest] = await Promise.all([
    redis.xrange(keys.directoryDeltas, "-", "+", "COUNT", 1),
    redis.xrevrange(keys.directoryDeltas, "+", "-", "COUNT", 1),
  ]);
  const [first, last] = [oldest[0], newest[0]].map((entry) => {
    if (entry === undefined) return undefined;
    const { epoch, seq } = DirectoryDeltaSchema.parse(JSON.parse(entry[1][1] ?? "null"));
    return { epoch, seq };
  });
  return first === undefined || last === undefined ? null : { first, last };
}

/** Up to `count` deltas after `seq`, oldest first. A first one other than `seq + 1` means: load the base. */
export async function readDirectoryDeltas(
  redis: Redis,
  keys: ControlKeys,
  seq: number,
  count = 1000,
): Promise<DirectoryDelta[]> {
  const entries = await redis.xrange(keys.directoryDeltas, `(${seq}-0`, "+", "COUNT", count);
  return entries.map(([, fields]) => DirectoryDeltaSchema.parse(JSON.parse(fields[1] ?? "null")));
}
