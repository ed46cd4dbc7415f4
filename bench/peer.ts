import type { Redis } from "ioredis";
import { RateLimiterRedis, RateLimiterUnion } from "rate-limiter-flexible";
import { durationSeconds } from "@/lib/core/duration";
import { type Check, compare } from "./drive";
import { type Figure, figure } from "./figure";
import { withRedis } from "./server";
import { amountsOf, headgate, principalOf } from "./subjects";

const CLIENTS = 50_000;
const CHECKS = 4_000;
const ROUNDS = 40;
const RULES = 2;

/** Two rules against rate-limiter-flexible's union of two, on one client and one server. */
export function benchPeer(): Promise<Figure[]> {
  return withRedis(async (redis) => {
    const sides = { ours: headgate(redis, RULES), union: union(redis) };
    const plan = { redis, clients: CLIENTS, checks: CHECKS, rounds: ROUNDS, inFlight: 50 };
    const { ours, union: peer } = await compare(sides, plan);
    return [
      figure("peer.redis-cpu.headgate", ours.redis, "µs"),
      figure("peer.redis-cpu.union", peer.redis, "µs"),
      figure("peer.redis-cpu.ratio", ours.redis / peer.redis, "x", { atMost: 0.45 }),
      figure("peer.node-cpu.headgate", ours.node, "µs"),
      figure("peer.node-cpu.union", peer.node, "µs"),
      figure("peer.node-cpu.ratio", ours.node / peer.node, "x", { atMost: 0.4 }),
    ];
  });
}

function union(redis: Redis): Check {
  const limiters = amountsOf(RULES).map(
    ({ per, burst }, index) =>
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `rlf-${index}`,
        points: burst,
        duration: durationSeconds(per) ?? 1,
      }),
  );
  const both = new RateLimiterUnion(...limiters);
  return (client) => both.consume(principalOf(client)).then(() => true);
}
