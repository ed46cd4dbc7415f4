import { randomBytes } from "node:crypto";
import { type Control, createControl, ensureInstallation } from "../control";
import type { CountBatch } from "../core/counts";
import type { Heartbeat } from "../core/heartbeat";
import { openWorker, type Timings, type WorkerCtx } from "../ingest/worker-context";
import { createLog } from "../log";
import { connectRedis, whenReady } from "../redis/connect";
import type { TestDatabase } from "./postgres";
import { createTestDatabase, sharedRedisUrl } from "./services";

/** Short enough that a test waits on nothing but its condition. */
export const TEST_TIMINGS: Timings = {
  relayPollMs: 100,
  reassertMs: 200,
  watchMs: 100,
  webhooksMs: 100,
  backtestsMs: 100,
  schedulesMs: 100,
  guardrailsMs: 100,
  blockMs: 100,
  claimIdleMs: 300,
  retentionMs: 600_000,
};

export type ControlWorld = {
  database: TestDatabase;
  control: Control;
  /** Another process's view of the same world. */
  another(): Control;
  openWorker(timings?: Partial<Timings>): Promise<WorkerCtx & { disconnect(): void }>;
  close(): Promise<void>;
};

/** A database of its own with version 1 in it, and an environment of its own in the given Redis. */
export async function controlWorld({
  redisUrl = sharedRedisUrl(),
  isSetUp = true,
  demo = false,
}: {
  redisUrl?: string;
  isSetUp?: boolean;
  demo?: boolean;
} = {}): Promise<ControlWorld> {
  const database = await createTestDatabase();
  const environment = `test-${randomBytes(6).toString("hex")}`;
  const { hostname, port } = new URL(redisUrl);
  const node = { host: hostname, port: Number(port), database: 0, tls: false };
  const log = createLog({ name: "test", level: "silent" });
  const opened: { close(): Promise<void> }[] = [];
  const another = () => {
    const control = createControl(
      {
        environment,
        databaseUrl: database.url,
        secrets: ["a secret that only tests know"],
        redis: { state: { kind: "single", node }, control: { kind: "single", node } },
      },
      { log },
    );
    opened.push(control);
    return control;
  };
  const control = another();
  if (isSetUp) await ensureInstallation(control, { demo });
  await whenReady(control.redis, 5_000);
  return {
    database,
    control,
    another,
    openWorker: async (timings = {}) => {
      const own = another();
      const worker = openWorker(own, { ...TEST_TIMINGS, ...timings });
      opened.push({ close: async () => worker.disconnect() });
      for (const redis of [own.redis, ...Object.values(worker.blocking)])
        await whenReady(redis, 5_000);
      return worker;
    },
    close: async () => {
      await Promise.allSettled(opened.map((one) => one.close()));
      await database.drop();
    },
  };
}

export function subscriber(redisUrl: string) {
  const { hostname, port } = new URL(redisUrl);
  return connectRedis({
    address: { host: hostname, port: Number(port), database: 0, tls: false },
    role: "subscriber",
    name: "test-subscriber",
    log: createLog({ name: "test", level: "silent" }),
  });
}

type BatchFields = Partial<CountBatch> & { environment: string; sequence: number };

/** A batch of one second with nothing in it. */
export function countBatch(fields: BatchFields): CountBatch {
  const fromMs = fields.fromMs ?? Date.now();
  return {
    schema: 1,
    gateway: "gw-1",
    boot: "boot-0001",
    toMs: fromMs + 1000,
    counts: [],
    clients: [],
    hits: [],
    traffic: { requests: 0, refused: 0, local: 0, unchecked: 0 },
    dropped: { requests: 0, clients: 0, hits: 0 },
    ...fields,
    fromMs,
  };
}

/** A serving gateway that has applied nothing yet. */
export function heartbeat(fields: Partial<Heartbeat> & { environment: string }): Heartbeat {
  const atMs = fields.atMs ?? Date.now();
  return {
    schema: 1,
    gateway: "gw-1",
    boot: "boot-0001",
    startedAtMs: atMs - 60_000,
    build: "test",
    applied: null,
    refused: null,
    checkedAgoMs: 0,
    directory: null,
    mode: "shared",
    modeSinceMs: 60_000,
    error: null,
    requestsPerSecond: 0,
    clockOffsetMs: null,
    state: "serving",
    features: [],
    ...fields,
    atMs,
  };
}
