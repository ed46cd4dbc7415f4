import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { decodeRecords } from "@/lib/core/record";
import { freePort } from "../../scripts/ports.mjs";
import { runRedis } from "../../scripts/redis.mjs";
import { createRedisStore } from "./redis-store";
import { describeStore } from "./store-contract";

/** What a machine without a redis-server runs: Valkey in WebAssembly, 32 bits wide, and another Lua. */
describeStore("the Redis store on the embedded server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headgate-test-embedded-"));
  const port = await freePort();
  const server = runRedis({
    command: process.execPath,
    args: [
      "--no-warnings",
      "--import",
      "tsx",
      fileURLToPath(new URL("../../bin/embedded-redis.ts", import.meta.url)),
    ],
    port,
    logFile: join(folder, "redis.log"),
  });
  await server.ready;
  const redis = new Redis(port, "127.0.0.1");
  let timeUs = 0;
  return {
    store: createRedisStore({ redis, testTimeUs: () => timeUs }),
    setTimeUs: (value) => {
      timeUs = value;
    },
    recordsOf: async (key) => decodeRecords((await redis.getBuffer(key)) ?? new Uint8Array()),
    close: async () => {
      redis.disconnect();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
