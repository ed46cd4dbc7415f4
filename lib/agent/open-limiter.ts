import type { Clock } from "@/lib/clock";
import { createLimiter, type Limiter, type StateConnection } from "@/lib/limiter";
import type { Log } from "@/lib/log";
import { connectCluster } from "@/lib/redis/cluster";
import { connectRedis, type RedisAddress } from "@/lib/redis/connect";
import type { StateRedis } from "@/lib/redis/counters";
import type { Agent } from "./agent";

export type { StateRedis };

type Options = {
  id: string;
  environment: string;
  redis: { state: StateRedis; ca?: string };
  deadlineMs: number;
  leaseAbovePerSecond?: number;
  agent: Pick<Agent, "fleetSize" | "setMode">;
  clock: Clock;
  log: Log;
};

export type OpenLimiter = Pick<
  Limiter,
  "check" | "forget" | "flush" | "status" | "counters" | "memory" | "inFlight"
> & {
  close(): void;
};

/** A limiter with its own connections, whose changes of mode the agent tells the console. */
export function openLimiter(options: Options): OpenLimiter {
  const { environment, deadlineMs, leaseAbovePerSecond, agent, clock, log } = options;
  const { state, disconnect } = connectState(options);
  const limiter = createLimiter({
    state,
    environment,
    clock,
    log,
    fleetSize: agent.fleetSize,
    deadlineMs,
    ...(leaseAbovePerSecond === undefined ? {} : { leaseAbovePerSecond }),
    onModeChange: ({ mode, error }) => agent.setMode(mode, error ?? "Redis does not decide"),
  });
  return {
    check: limiter.check,
    forget: limiter.forget,
    flush: limiter.flush,
    status: limiter.status,
    counters: limiter.counters,
    memory: limiter.memory,
    get inFlight() {
      return limiter.inFlight;
    },
    close: () => {
      limiter.close();
      disconnect();
    },
  };
}

type Connected = { state: StateConnection; disconnect(): void };

function connectState({ id, redis: { state, ca }, log }: Options): Connected {
  const common = { name: `headgate-check-${id}`, log, ...(ca === undefined ? {} : { ca }) };
  const connect = (address: RedisAddress) => connectRedis({ address, role: "check", ...common });
  switch (state.kind) {
    case "single": {
      const redis = connect(state.node);
      return { state: { kind: "single", redis }, disconnect: () => redis.disconnect() };
    }
    case "ring": {
      const nodes = state.nodes.map((node) => ({ name: node.name, redis: connect(node) }));
      return {
        state: { kind: "ring", nodes },
        disconnect: () => {
          for (const { redis } of nodes) redis.disconnect();
        },
      };
    }
    case "cluster": {
      const link = connectCluster({ seeds: state.nodes, ...common });
      return { state: { kind: "cluster", link }, disconnect: link.close };
    }
  }
}
