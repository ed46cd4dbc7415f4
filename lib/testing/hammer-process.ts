import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { SystemClock } from "@/lib/clock";
import { tokenBucket } from "@/lib/core/bucket";
import { createLimiter, type Limiter } from "@/lib/limiter";
import { type LimiterRule, stateKey } from "@/lib/limiter/state-key";
import { createLog } from "@/lib/log";
import { connectRedis } from "@/lib/redis/connect";
import type { Hammered, HammerPlan } from "./hammer";
import { waitFor } from "./wait-for";

// Some of the limiters of a hammer. TEST_HAMMER has its plan, as JSON.

/** No check of a busy machine is decided locally. */
const DEADLINE_MS = 5_000;
/** Checks of one limiter at a time. */
const IN_FLIGHT = 2;
/** Low, as many limiters share the machine. */
const LEASE_ABOVE_PER_SECOND = 20;
/** Decisions from memory before the event loop has its turn. */
const A_TURN = 20;

const plan = JSON.parse(process.env.TEST_HAMMER ?? "{}") as HammerPlan;
const clock = new SystemClock();
const log = createLog({ name: "hammer", level: "silent" });
const { hostname: host, port } = new URL(plan.redisUrl);
const address = { host, port: Number(port), database: 0, tls: false };
const rule: LimiterRule = {
  ruleId: "hot",
  key: stateKey("hammer", plan.principal),
  slot: 1,
  role: "enforced",
  limit: tokenBucket(plan.amount),
  cost: 1,
  failMode: "closed",
  precision: plan.precision,
};
const seen: Hammered = {
  admitted: 0,
  refused: 0,
  local: 0,
  memory: 0,
  firstUs: Number.POSITIVE_INFINITY,
  lastUs: 0,
};

const limiters = await Promise.all(Array.from({ length: plan.limiters }, open));
process.send?.("ready");
await once(process, "message");
const endMs = clock.monotonicMs() + plan.seconds * 1000;
const workers = limiters.flatMap((limiter) =>
  Array.from({ length: IN_FLIGHT }, () => hit(limiter)),
);
await Promise.all(workers);
process.send?.(seen);

async function open(): Promise<Limiter> {
  const redis = connectRedis({ address, role: "check", name: "hammer", log });
  const limiter = createLimiter({
    state: { kind: "single", redis },
    environment: "hammer",
    clock,
    log,
    fleetSize: () => plan.processes * plan.limiters,
    deadlineMs: DEADLINE_MS,
    leaseAbovePerSecond: LEASE_ABOVE_PER_SECOND,
  });
  await waitFor(() => limiter.status().clockOffsetMs !== null);
  return limiter;
}

async function hit(limiter: Limiter): Promise<void> {
  for (let count = 1; clock.monotonicMs() < endMs; count += 1) {
    const { verdict, source, memory, nowUs } = await limiter.check([rule]);
    if (source === "local") seen.local += 1;
    else if (verdict === "allowed") seen.admitted += 1;
    else seen.refused += 1;
    if (memory === undefined) {
      seen.firstUs = Math.min(seen.firstUs, nowUs);
      seen.lastUs = Math.max(seen.lastUs, nowUs);
    } else {
      seen.memory += 1;
      if (count % A_TURN === 0) await turn();
    }
  }
}
