import { rm } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../scripts/ports.mjs";
import { findRedisServer, runRedis } from "../../scripts/redis.mjs";
import { makeTestFolder, remember } from "./leftovers";

export type TestRedis = {
  url: string;
  port: number;
  pid: number;
  /** SIGSTOP hangs the server with its sockets open, SIGCONT wakes it, SIGKILL is a crash. */
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
};

/** A real redis-server that keeps nothing. Give a port to bring one back, empty, where an earlier one was. */
export async function startRedis({
  port,
  config = [],
}: {
  port?: number;
  /** Further lines of its configuration. */
  config?: readonly string[];
} = {}): Promise<TestRedis> {
  const command = findRedisServer();
  if (command === undefined)
    throw new Error("redis-server is not on PATH: apt-get install redis-server");
  const folder = makeTestFolder("redis");
  const chosen = port ?? (await freePort());
  const running = runRedis({
    command,
    port: chosen,
    config: ['save ""', `dir ${folder}`, ...config],
    logFile: join(folder, "redis.log"),
  });
  remember(folder, running.pid);
  await running.ready;
  const onExit = () => running.kill("SIGKILL");
  process.once("exit", onExit);
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    pid: running.pid,
    kill: running.kill,
    stop: async () => {
      process.off("exit", onExit);
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
