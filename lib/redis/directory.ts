import type { Redis } from "ioredis";
import {
  type DirectoryBase,
  DirectoryBaseSchema,
  type DirectoryDelta,
  DirectoryDeltaSchema,
  type DirectoryPosition,
} from "@/lib/core/directory";
import type { ControlKeys } from "./control-keys";

/** Deltas kept in the stream; a gateway further behind loads the base again. */
const DELTAS_KEPT = 10_000;

// KEYS hash, delta stream; ARGV epoch, seq, document. A new epoch begins the stream anew.
// Returns 1 written, 0 an equal or newer base was there.
const PUT_BASE = `
local held = redis.call("HMGET", KEYS[1], "epoch", "seq")
local epoch, seq = tonumber(held[1]), tonumber(held[2])
local newEpoch, newSeq = tonumber(ARGV[1]), tonumber(ARGV[2])
if epoch and seq and (epoch > newEpoch or (epoch == newEpoch and seq >= newSeq)) then return 0 end
if epoch and epoch < newEpoch then redis.call("DEL", KEYS[2]) end
redis.call("HSET", KEYS[1], "epoch", ARGV[1], "seq", ARGV[2], "document", ARGV[3])
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

export async function putDirectoryBase(
  redis: Redis,
  keys: ControlKeys,
  base: DirectoryBase,
): Promise<boolean> {
  const reply = await redis.eval(
    PUT_BASE,
    2,
    keys.directory,
    keys.directoryDeltas,
    base.epoch,
    base.seq,
    JSON.stringify(base),
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

/** Where the base in Redis stands; null if there is none. */
export async function readDirectoryPosition(
  redis: Redis,
  keys: ControlKeys,
): Promise<DirectoryPosition | null> {
  const [epoch, seq] = await redis.hmget(keys.directory, "epoch", "seq");
  return epoch == null || seq == null ? null : { epoch: Number(epoch), seq: Number(seq) };
}

export async function readDirectoryBase(
  redis: Redis,
  keys: ControlKeys,
): Promise<DirectoryBase | null> {
  const document = await redis.hget(keys.directory, "document");
  return document === null ? null : DirectoryBaseSchema.parse(JSON.parse(document));
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
