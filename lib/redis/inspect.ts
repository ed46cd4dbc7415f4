import type { Log } from "@/lib/log";
import { connectRedis, describeAddress, type RedisAddress, whenReady } from "./connect";

/** What one server says of itself; null: it does not let us know. */
export type RedisFacts = {
  address: string;
  version: string | null;
  /** What it does when its memory is full. */
  evicts: string | null;
  /** Its clock minus ours, in ms, give or take half the round trip. */
  offsetMs: number;
};

type Inspected = ({ ok: true } & RedisFacts) | { ok: false; address: string; reason: string };

const READY_MS = 1_500;

/** Looks at a server by a connection of its own; reads only. */
export async function inspectRedis({
  address,
  ca,
  log,
}: {
  address: RedisAddress;
  ca?: string;
  log: Log;
}): Promise<Inspected> {
  const name = describeAddress(address);
  const redis = connectRedis({
    address,
    role: "control",
    name: "headgate-doctor",
    log,
    ...(ca === undefined ? {} : { ca }),
  });
  let reason = `no answer within ${READY_MS / 1000} s`;
  redis.on("error", (error: Error) => {
    reason = error.message;
  });
  try {
    if (!(await whenReady(redis, READY_MS))) return { ok: false, address: name, reason };
    const beganMs = Date.now();
    const [seconds, micros] = await redis.time();
    const offsetMs = Number(seconds) * 1000 + Number(micros) / 1000 - (beganMs + Date.now()) / 2;
    const info = await redis.info().catch(() => "");
    const field = (text: string) => new RegExp(`^${text}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? null;
    const version = field("valkey_version") ?? field("redis_version");
    const isUnbounded = field("maxmemory") === "0";
    const evicts = isUnbounded ? "noeviction" : field("maxmemory_policy");
    return { ok: true, address: name, version, evicts, offsetMs };
  } catch (error) {
    return { ok: false, address: name, reason: error instanceof Error ? error.message : reason };
  } finally {
    redis.disconnect();
  }
}
