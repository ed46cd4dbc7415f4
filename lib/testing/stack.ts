import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildBundles, buildClient, buildConsole } from "../../scripts/build.mjs";
import { freePort } from "../../scripts/ports.mjs";
import { beQuiet } from "../../scripts/progress.mjs";
import {
  consoleProcess,
  gatewayProcesses,
  localUrl,
  runProgram,
  upstreamProcess,
  workerProcess,
} from "../../scripts/stack.mjs";
import { makeTestFolder, remember } from "./leftovers";
import { startPostgres, type TestPostgres } from "./postgres";
import { startRedis, type TestRedis } from "./redis";

const HOST = "127.0.0.1";

type Kept = ReturnType<typeof workerProcess>;

/** A process that a test may end, also with SIGKILL, and start again at the same place. */
export type StackProcess = {
  name: string;
  logFile: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
};

export type StackGateway = StackProcess & { url: string; adminUrl: string };

export type TestStack = {
  consoleUrl: string;
  upstreamUrl: string;
  databaseUrl: string;
  redisUrl: string;
  dataDir: string;
  admin: { email: string; password: string };
  /** `Authorization: Bearer` with all rights. */
  bootstrapToken: string;
  gatewayToken: string;
  env: Record<string, string>;
  postgres: TestPostgres;
  redis: TestRedis;
  console: StackProcess;
  worker: StackProcess;
  upstream: StackProcess;
  gateways: StackGateway[];
  stop(): Promise<void>;
};

type Options = { gateways?: number; env?: Record<string, string> };

/**
 * The whole product from its production build: own Postgres and Redis, worker, console, gateways, sample
 * upstream, on free ports with a data folder of its own. Builds what is stale first.
 */
export async function startStack({
  gateways = 2,
  env: extra = {},
}: Options = {}): Promise<TestStack> {
  beQuiet();
  await buildClient();
  await buildBundles();
  await buildConsole();
  const dataDir = makeTestFolder("stack");
  const logsDir = join(dataDir, "logs");
  await mkdir(logsDir);
  const [postgres, redis, port, upstreamPort] = await Promise.all([
    startPostgres(),
    startRedis(),
    freePort(),
    freePort(),
  ]);
  const gatewayPorts = await Promise.all(Array.from({ length: gateways }, () => freePort()));
  const admin = { email: "admin@headgate.test", password: "correct-horse-battery" };
  const bootstrapToken = `hgb_${randomBytes(18).toString("base64url")}`;
  const gatewayToken = `hgg_${randomBytes(18).toString("base64url")}`;
  const env: Record<string, string> = {
    ...inherited(),
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    HEADGATE_DATA: dataDir,
    HEADGATE_ENVIRONMENT: "test",
    HEADGATE_SECRET: randomBytes(32).toString("base64url"),
    HEADGATE_ADMIN_EMAIL: admin.email,
    HEADGATE_ADMIN_PASSWORD: admin.password,
    HEADGATE_BOOTSTRAP_TOKEN: bootstrapToken,
    HEADGATE_GATEWAY_TOKEN: gatewayToken,
    HEADGATE_TRUST_PROXY: "loopback",
    HEADGATE_PUBLIC_URL: localUrl(HOST, port),
    ...extra,
  };
  const options = { env, logsDir, host: HOST, port, gatewayPorts, upstreamPort };
  const members = {
    console: member(consoleProcess(options), dataDir),
    worker: member(workerProcess(options), dataDir),
    upstream: member(upstreamProcess(options), dataDir),
    gateways: gatewayProcesses(options).map((kept, i) => ({
      ...member(kept, dataDir),
      url: localUrl(HOST, gatewayPorts[i] ?? 0),
      adminUrl: localUrl(HOST, (gatewayPorts[i] ?? 0) + 1000),
    })),
  };
  const stop = async () => {
    await Promise.all(members.gateways.map((gateway) => gateway.stop()));
    await Promise.all([members.worker.stop(), members.console.stop(), members.upstream.stop()]);
    await Promise.all([postgres.stop(), redis.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await runProgram({ name: "migrate", env });
    await runProgram({ name: "seed", env });
    await Promise.all(
      [members.worker, members.console, members.upstream].map((each) => each.start()),
    );
    await Promise.all(members.gateways.map((gateway) => gateway.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    consoleUrl: localUrl(HOST, port),
    upstreamUrl: localUrl(HOST, upstreamPort),
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    dataDir,
    admin,
    bootstrapToken,
    gatewayToken,
    env,
    postgres,
    redis,
    ...members,
    stop,
  };
}

function member(kept: Kept, folder: string): StackProcess {
  let running: ReturnType<Kept["start"]> | undefined;
  const onExit = () => running?.kill("SIGKILL");
  process.once("exit", onExit);
  return {
    name: kept.name,
    logFile: kept.logFile,
    start: async () => {
      running = kept.start();
      remember(folder, running.pid);
      await running.ready;
    },
    stop: async () => {
      await running?.stop();
    },
    kill: (signal) => running?.kill(signal),
  };
}

/** What a process needs of this one's environment, and nothing that configures a Headgate. */
function inherited(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(HEADGATE_|REDIS_|DATABASE_URL$|PORT$|npm_|VITEST|NODE_ENV$)/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}
