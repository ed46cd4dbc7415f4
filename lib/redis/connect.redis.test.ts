import { createServer } from "node:net";
import { expect, test } from "vitest";
import { createLog } from "@/lib/log";
import { startRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { connectRedis, whenReady } from "./connect";

const log = createLog({ name: "test", level: "silent" });
const check = (port: number) =>
  connectRedis({
    address: { host: "127.0.0.1", port, database: 0, tls: false },
    role: "check",
    name: "test",
    log,
  });

test("a check on a connection that is away fails at once instead of queueing", async () => {
  const redis = check(1);
  await expect(redis.get("a")).rejects.toThrow(/writeable/);
  redis.disconnect();
});

test("a primary that became a replica is left, so that its name is looked up anew", async () => {
  const server = await startRedis();
  const redis = check(server.port);
  expect(await whenReady(redis, 5_000)).toBe(true);
  await redis.replicaof("127.0.0.1", 1);
  let reconnects = 0;
  redis.on("reconnecting", () => {
    reconnects += 1;
  });
  await expect(redis.set("a", "1")).rejects.toThrow(/READONLY/);
  await waitFor(() => reconnects > 0 && redis.status === "ready");
  redis.disconnect();
  await server.stop();
});

test("a peer that never says goodbye is dropped after 100 ms", async () => {
  const mute = createServer({ allowHalfOpen: true }, (socket) =>
    socket.on("error", () => {}).resume(),
  );
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", () => resolve()));
  const address = mute.address();
  const redis = check(typeof address === "object" ? (address?.port ?? 0) : 0);
  await waitFor(() => redis.status === "connect");
  const startMs = performance.now();
  const closed = new Promise((resolve) => redis.once("close", resolve));
  redis.disconnect();
  await closed;
  expect(performance.now() - startMs).toBeLessThan(900);
  mute.close();
});
