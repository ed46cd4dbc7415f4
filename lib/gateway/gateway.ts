import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, type AgentConfig, type AgentStatus, createAgent } from "@/lib/agent/agent";
import { type OpenLimiter, openLimiter, type StateRedis } from "@/lib/agent/open-limiter";
import { type Clock, SystemClock } from "@/lib/clock";
import { AppError } from "@/lib/core/errors";
import type { Log } from "@/lib/log";
import { createAdminServer } from "./admin-server";
import { createClientAddress, type TrustProxy } from "./client-address";
import { createRequestHandler } from "./handle-request";
import type { IdentifyClient } from "./identifier";
import { createMetrics } from "./metrics";
import { createProxy, UPSTREAM_TIMEOUTS, type UpstreamTimeouts } from "./proxy";
import { createShedderStates } from "./shedder-states";
import { createShedding } from "./shedding";

/** Longer than the 60 s of most load balancers, so that they, not we, close an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 20_000;
/** What runs when a stop is asked for may go on this long; most is done in milliseconds. */
const GRACE_MS = 3_000;
/** Redis is told this long what approximate rules counted; it takes milliseconds, or Redis is away. */
const FLUSH_MS = 500;
/** Every request waits for it; an embedder's own cache answers in microseconds. */
const IDENTIFY_TIMEOUT_MS = 1_000;

export type GatewayConfig = AgentConfig & {
  host: string;
  port: number;
  adminPort: number;
  upstream: string;
  checkDeadlineMs: number;
  /** Checks a second of one bucket here, from which on a leased rule takes leases. */
  leaseAbovePerSecond?: number;
  trustProxy: TrustProxy;
  redis: AgentConfig["redis"] & { state: StateRedis };
};

export type Gateway = {
  /** Reads the boot files, then listens; whether it is ready, GET /ready says. */
  start(): Promise<{ port: number; adminPort: number }>;
  status(): AgentStatus;
  /** Takes no more, ends what runs, reports itself drained. */
  close(): Promise<void>;
};

type Deps = {
  log: Log;
  clock?: Clock;
  timeouts?: UpstreamTimeouts;
  /** Who sent a request, where headers and address do not say it. */
  identify?: IdentifyClient;
  /** An answer of `identify` that takes longer is not waited for. */
  identifyTimeoutMs?: number;
};

export function createGateway(
  config: GatewayConfig,
  {
    log,
    clock = new SystemClock(),
    timeouts = UPSTREAM_TIMEOUTS,
    identify,
    identifyTimeoutMs = IDENTIFY_TIMEOUT_MS,
  }: Deps,
): Gateway {
  let isDraining = false;
  const shedders = createShedderStates({
    gatewayId: config.id,
    rules: () => agent.rules(),
    clock,
  });
  const shedding = createShedding({ states: shedders });
  const agent: Agent = createAgent(config, {
    clock,
    log,
    demand: shedders,
    clockOffsetMs: () => limiter.status().clockOffsetMs,
    // A boot file is read before the first check.
    onLimitsChanged: () => limiter.forget(),
    onReset: (principals) => {
      for (const principal of principals) limiter.forget(principal);
    },
  });
  const limiter: OpenLimiter = openLimiter({
    ...config,
    deadlineMs: config.checkDeadlineMs,
    agent,
    clock,
    log,
  });
  const metrics = createMetrics({
    agent: agent.status,
    limiter,
    shedders: shedders.status,
    shedCounts: shedding.counts,
  });
  const proxy = createProxy(config.upstream, timeouts);
  const handle = createRequestHandler({
    environment: config.environment,
    agent,
    limiter,
    proxy,
    metrics,
    shedding,
    clientAddress: createClientAddress(config.trustProxy),
    identifyClient: identify,
    identifyTimeoutMs,
    isDraining: () => isDraining,
    clock,
    log,
  });
  const traffic = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    // Bodies may be long; one that stands still ends by the upstream's timeout.
    requestTimeout: 0,
  });
  traffic.on("request", handle);
  // A refused upload need not be sent: 100 Continue comes with the upstream's turn.
  traffic.on("checkContinue", handle);
  const admin = createAdminServer({
    status: agent.status,
    shedders: shedders.status,
    metrics,
    log,
  });

  async function close(): Promise<void> {
    isDraining = true;
    agent.drain();
    await endTraffic(traffic);
    await Promise.race([limiter.flush(), sleep(FLUSH_MS, undefined, { ref: false })]);
    limiter.close();
    await agent.close();
    shedders.close();
    proxy.close();
    metrics.close();
    admin.close();
    admin.closeAllConnections();
    log.info({ id: config.id }, "gateway drained");
  }

  return {
    status: agent.status,
    start: async () => {
      const { host } = config;
      try {
        // A second process with our ports stops here, before it says anything under our id.
        const adminPort = await listen(admin, config.adminPort, host, "admin port");
        await agent.start();
        const port = await listen(traffic, config.port, host, "traffic port");
        log.info({ id: config.id, port, adminPort, upstream: config.upstream }, "gateway listens");
        return { port, adminPort };
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}

function listen(server: Server, port: number, host: string, what: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `the ${what} ${host}:${port} cannot be listened on: ${cause.message}`;
      reject(new AppError("unavailable", message, { cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Idle connections end at once, running requests when they are done or the grace is over. */
async function endTraffic(server: Server): Promise<void> {
  if (!server.listening) return;
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setInterval(() => server.closeIdleConnections(), 50);
  await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
  clearInterval(timer);
  server.closeAllConnections();
}
