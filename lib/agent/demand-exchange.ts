import type { Redis } from "ioredis";
import { DEMAND_INTERVAL_US } from "@/lib/core/fleet-plan";
import type { Log } from "@/lib/log";
import type { ControlKeys } from "@/lib/redis/control-keys";
import { type Demand, parseDemand, publishDemand } from "@/lib/redis/demand";
import { reasonOf } from "@/lib/redis/reason";

const INTERVAL_MS = DEMAND_INTERVAL_US / 1000;
/** So that gateways started together do not speak together. */
const JITTER = 0.2;

/** What the exchange is for: whoever judges by fleet rules. */
export type DemandSource = {
  /** Unlike any other process's. */
  name: string;
  /** Once an interval, whether or not anybody can be told. Null: there are no fleet rules. */
  measure(fleetSize: number): Demand | null;
  /** What a process told, this one among them. A rule that is not in it: it has no part in that any more. */
  hear(name: string, demand: Demand): void;
};

type Options = {
  source: DemandSource;
  redis: Redis;
  /** Has other channels, too. */
  subscriber: Redis;
  redisKeys: ControlKeys;
  fleetSize(): number;
  log: Log;
};

const NO_PART: Demand = new Map();

/** Tells this process's demand each second, and hears the others', only while there are fleet rules. */
export function openDemandExchange(options: Options): { close(): Promise<void> } {
  const { source, redis, subscriber, redisKeys, fleetSize, log } = options;
  const channel = redisKeys.demand;
  let isWanted = false;
  let isTold = true;
  let timer: NodeJS.Timeout | undefined;

  /** Lost with the connection, so asked for again at each new one; a failure is seen by nothing being heard. */
  async function follow(): Promise<void> {
    if (subscriber.status !== "ready") return;
    try {
      if (isWanted) await subscriber.subscribe(channel);
      else await subscriber.unsubscribe(channel);
    } catch (error) {
      log.warn({ reason: reasonOf(error), channel }, "demand of other gateways is not heard");
    }
  }

  async function tell(demand: Demand): Promise<void> {
    try {
      if (redis.status !== "ready") throw new Error(`Redis is not connected (${redis.status})`);
      await publishDemand(redis, redisKeys, source.name, demand);
      if (!isTold) log.info({ channel }, "demand is exchanged again");
      isTold = true;
    } catch (error) {
      if (isTold)
        log.warn(
          { reason: reasonOf(error), gateways: fleetSize() },
          "demand is not exchanged: fleet rules take capacity / gateways here",
        );
      isTold = false;
    }
  }

  function tick(): void {
    const demand = source.measure(fleetSize());
    const wasWanted = isWanted;
    isWanted = demand !== null;
    if (isWanted !== wasWanted) void follow();
    if (demand !== null) void tell(demand);
    else if (wasWanted) void tell(NO_PART);
    schedule();
  }

  function schedule(): void {
    const jitter = 1 + JITTER * (2 * Math.random() - 1);
    timer = setTimeout(tick, INTERVAL_MS * jitter);
    timer.unref();
  }

  const onReady = () => {
    if (isWanted) void follow();
  };
  const onMessage = (from: string, message: string) => {
    if (from !== channel) return;
    const told = parseDemand(message);
    if (told === null) log.warn({ channel, message: message.slice(0, 200) }, "demand not known");
    else source.hear(told.source, told.demand);
  };
  subscriber.on("ready", onReady);
  subscriber.on("message", onMessage);
  schedule();
  return {
    close: async () => {
      clearTimeout(timer);
      subscriber.off("ready", onReady);
      subscriber.off("message", onMessage);
      if (isWanted) await tell(NO_PART);
    },
  };
}
