import type { Clock } from "@/lib/clock";
import { AppError } from "@/lib/core/errors";
import { createLimiter, type Limiter } from "@/lib/limiter";
import type { Log } from "@/lib/log";
import { connectRedis, type RedisAddress } from "@/lib/redis/connect";
import type { Agent } from "./agent";

export type StateRedis =
  | { kind: "single"; node: RedisAddress }
  | { kind: "ring"; nodes: RedisAddress[] }
  | { kind: "cluster"; nodes: RedisAddress[] };

type Options = {
  id: string;
  environment: string;
  redis: { state: StateRedis; ca?: string };
  deadlineMs: number;
  agent: Pick<Agent, "fleetSize" | "setMode">;
  clock: Clock;
  log: Log;
};

export type OpenLimiter = Pick<Limiter, "check" | "status" | "counters"> & { close(): void };

/** A limiter with its own connection, whose changes of mode the agent tells the console. */
export function openLimiter(options: Options): OpenLimiter {
  const { id, environment, deadlineMs, agent, clock, log } = options;
  const { state, ca } = options.redis;
  if (state.kind !== "single")
    throw new AppError(
      "invalid",
      `counters live in one Redis in this build: set REDIS_URL, got a ${state.kind}`,
    );
  const redis = connectRedis({
    address: state.node,
    role: "check",
    name: `headgate-check-${id}`,
    log,
    ...(ca === undefined ? {} : { ca }),
  });
  const limiter = createLimiter({
    redis,
    environment,
    clock,
    log,
    fleetSize: agent.fleetSize,
    deadlineMs,
    onModeChange: ({ mode, error }) => agent.setMode(mode, error ?? "Redis does not decide"),
  });
  return {
    check: limiter.check,
    status: limiter.status,
    counters: limiter.counters,
    close: () => {
      limiter.close();
      redis.disconnect();
    },
  };
}
