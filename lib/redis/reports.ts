import type { Redis } from "ioredis";
import type { CountBatch } from "@/lib/core/counts";
import { type FleetSize, FleetSizeSchema, type Heartbeat } from "@/lib/core/heartbeat";
import type { TapeEntry } from "@/lib/core/tape-entry";
import type { ControlKeys } from "./control-keys";

/** The hard cap of the counts stream: about an hour of 30 gateways. What it cuts shows as missing batches. */
const COUNTS_MAX = 100_000;
const HEARTBEATS_MAX = 10_000;
/** Mostly a few kB each, at most some 30: 150 MB while nobody takes them. What it cuts shows as missing blocks. */
const TAPE_MAX = 5_000;

export const ENTRY_FIELD = "json";

export async function appendCountBatch(
  redis: Redis,
  keys: ControlKeys,
  batch: CountBatch,
): Promise<void> {
  await redis.xadd(keys.counts, "MAXLEN", "~", COUNTS_MAX, "*", ENTRY_FIELD, JSON.stringify(batch));
}

export async function appendHeartbeat(
  redis: Redis,
  keys: ControlKeys,
  heartbeat: Heartbeat,
): Promise<void> {
  await redis.xadd(
    keys.heartbeats,
    "MAXLEN",
    "~",
    HEARTBEATS_MAX,
    "*",
    ENTRY_FIELD,
    JSON.stringify(heartbeat),
  );
}

export async function appendTapeBlock(
  redis: Redis,
  keys: ControlKeys,
  block: TapeEntry,
): Promise<void> {
  await redis.xadd(keys.tape, "MAXLEN", "~", TAPE_MAX, "*", ENTRY_FIELD, JSON.stringify(block));
}

export async function putFleetSize(
  redis: Redis,
  keys: ControlKeys,
  size: FleetSize,
): Promise<void> {
  await redis.set(keys.fleet, JSON.stringify(size));
}

export async function readFleetSize(redis: Redis, keys: ControlKeys): Promise<FleetSize | null> {
  const text = await redis.get(keys.fleet);
  return text === null ? null : FleetSizeSchema.parse(JSON.parse(text));
}
