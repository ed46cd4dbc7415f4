import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { startRedis } from "./redis";
import { sharedRedisUrl } from "./services";
import { waitFor } from "./wait-for";

test("the shared server answers scripts", async () => {
  const redis = new Redis(sharedRedisUrl());
  expect(await redis.eval("return redis.call('TIME')[1] + 0", 0)).toBeGreaterThan(1.7e9);
  redis.disconnect();
});

test("a server can be hung, woken, crashed and brought back empty on its port", async () => {
  const server = await startRedis();
  const redis = new Redis(server.url, { retryStrategy: () => 20 });
  redis.on("error", () => {});
  await redis.set("a", "1");
  server.kill("SIGSTOP");
  const read = redis.get("a");
  const first = await Promise.race([
    read,
    new Promise((resolve) => setTimeout(resolve, 100, "hung")),
  ]);
  expect(first).toBe("hung");
  server.kill("SIGCONT");
  expect(await read).toBe("1");
  await server.stop();
  const next = await startRedis({ port: server.port });
  await waitFor(async () => (await redis.get("a")) === null);
  redis.disconnect();
  await next.stop();
});
