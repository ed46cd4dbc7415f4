import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "../../scripts/ports.mjs";
import { findRedisServer, runRedis } from "../../scripts/redis.mjs";
import { makeTestFolder, remember } from "./leftovers";
import { waitFor } from "./wait-for";

/** A server that does not answer for this long is failed over. Small, so that tests are quick. */
const NODE_TIMEOUT_MS = 1_000;
const SLOTS = 16_384;

export type TestClusterNode = {
  port: number;
  id: string;
  /** A connection of the test's own. */
  admin: Redis;
  kill(signal: NodeJS.Signals): void;
};

export type TestCluster = {
  primaries: TestClusterNode[];
  /** Of the primary at the same index. */
  replicas: TestClusterNode[];
  /** As the cluster says now. */
  ownerOf(slot: number): Promise<TestClusterNode>;
  /** With all its keys, as `redis-cli --cluster reshard` does; `afterFirst` while one is there and others are here. */
  moveSlot(slot: number, to: TestClusterNode, afterFirst?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
};

/** Real servers in cluster mode that keep nothing, each with a third of the slots. */
export async function startRedisCluster({
  primaries = 3,
  withReplicas = false,
  config = () => [],
  ca,
}: {
  primaries?: number;
  withReplicas?: boolean;
  /** Further lines of a server's configuration. */
  config?: (port: number) => string[];
  /** PEM: `config` makes the port one for TLS, with a certificate for localhost. */
  ca?: string;
} = {}): Promise<TestCluster> {
  const servers = await Promise.all(
    Array.from({ length: primaries * (withReplicas ? 2 : 1) }, () => startServer(config, ca)),
  );
  const nodes = servers.map(({ node }) => node);
  const mains = nodes.slice(0, primaries);
  const replicas = nodes.slice(primaries);
  const alive = () => nodes.filter(({ admin }) => admin.status === "ready");

  await Promise.all(
    mains.map(({ admin }, index) => {
      const first = Math.floor((SLOTS * index) / primaries);
      const last = Math.floor((SLOTS * (index + 1)) / primaries) - 1;
      return admin.cluster("ADDSLOTSRANGE", first, last);
    }),
  );
  await Promise.all(
    nodes.map(({ admin }, index) => admin.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1)),
  );
  for (const { admin } of nodes)
    for (const { port } of nodes)
      await admin.call(
        "CLUSTER",
        "MEET",
        "127.0.0.1",
        port,
        servers.find((s) => s.node.port === port)?.busPort ?? 0,
      );
  await waitFor(async () => (await whole(nodes, nodes.length)) && true, {
    timeoutMs: 20_000,
    what: "servers that know each other",
  });
  await Promise.all(
    replicas.map(({ admin }, index) => admin.cluster("REPLICATE", mains[index]?.id ?? "")),
  );
  await waitFor(async () => whole(nodes, nodes.length, replicas.length), {
    timeoutMs: 20_000,
    what: "replicas that every server knows and that follow",
  });

  async function ownerOf(slot: number): Promise<TestClusterNode> {
    const ranges = await alive()[0]?.admin.cluster("SLOTS");
    const range = ranges?.find(([first, last]) => first <= slot && slot <= last);
    const node = nodes.find(({ port }) => port === range?.[2]?.[1]);
    if (node === undefined) throw new Error(`nobody owns slot ${slot}`);
    return node;
  }

  return {
    primaries: mains,
    replicas,
    ownerOf,
    async moveSlot(slot, to, afterFirst) {
      const from = await ownerOf(slot);
      await to.admin.cluster("SETSLOT", slot, "IMPORTING", from.id);
      await from.admin.cluster("SETSLOT", slot, "MIGRATING", to.id);
      for (let moved = 0; ; moved += 1) {
        if (moved === 1) await afterFirst?.();
        const keys = await from.admin.cluster("GETKEYSINSLOT", slot, 1);
        if (keys.length === 0) break;
        const target = ["127.0.0.1", to.port, "", 0, 5_000, "KEYS", ...keys] as const;
        await from.admin.call("MIGRATE", ...target);
      }
      await to.admin.cluster("SETSLOT", slot, "NODE", to.id);
      await from.admin.cluster("SETSLOT", slot, "NODE", to.id);
    },
    stop: async () => {
      await Promise.all(servers.map(({ stop }) => stop()));
    },
  };
}

async function startServer(config: (port: number) => string[], ca: string | undefined) {
  const command = findRedisServer();
  if (command === undefined)
    throw new Error("redis-server is not on PATH: apt-get install redis-server");
  const folder = makeTestFolder("cluster");
  const [port, plainPort, busPort] = [await freePort(), await freePort(), await freePort()];
  const running = runRedis({
    command,
    port: ca === undefined ? port : plainPort,
    config: [
      'save ""',
      `dir ${folder}`,
      "cluster-enabled yes",
      `cluster-port ${busPort}`,
      `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
      "cluster-require-full-coverage no",
      "cluster-replica-validity-factor 0",
      "repl-diskless-sync-delay 0",
      ...config(port),
    ],
    logFile: join(folder, "redis.log"),
  });
  remember(folder, running.pid);
  await running.ready;
  const onExit = () => running.kill("SIGKILL");
  process.once("exit", onExit);
  const admin = new Redis({
    port,
    host: "127.0.0.1",
    maxRetriesPerRequest: 0,
    retryStrategy: () => 100,
    ...(ca === undefined ? {} : { tls: { ca, servername: "localhost" } }),
  });
  admin.on("error", () => {});
  const id = await admin.cluster("MYID");
  const node: TestClusterNode = { port, id, admin, kill: running.kill };
  return {
    node,
    busPort,
    stop: async () => {
      process.off("exit", onExit);
      admin.disconnect();
      running.kill("SIGCONT");
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Every server sees so many, so many of them as replicas, and all slots served. */
async function whole(
  nodes: readonly TestClusterNode[],
  known: number,
  replicas?: number,
): Promise<boolean> {
  const views = await Promise.all(
    nodes.map(async ({ admin }) => {
      const [info, list] = await Promise.all([admin.cluster("INFO"), admin.cluster("NODES")]);
      const lines = String(list)
        .trim()
        .split("\n")
        .filter((line) => !/fail|handshake/.test(line));
      const following = lines.filter((line) => /slave/.test(line)).length;
      const isLinked = lines.every((line) => /connected/.test(line) && !/disconnected/.test(line));
      return {
        isOk: String(info).includes("cluster_state:ok") && isLinked && lines.length >= known,
        following,
      };
    }),
  );
  return views.every(
    ({ isOk, following }) => isOk && (replicas === undefined || following === replicas),
  );
}
