import type { Redis } from "ioredis";
import { z } from "zod";
import type { PriorityRates } from "@/lib/core/priority";
import type { ControlKeys } from "./control-keys";

const rate = z.number().min(0).max(1e12);

const DemandSchema = z.strictObject({
  /** A gateway's process. */
  source: z.string().min(1).max(200),
  /** Requests a second by fleet rule (of a candidate: `<id> candidate`); a rule that is missing has nothing of this source any more. */
  demand: z
    .array(
      z.strictObject({
        rule: z.string().min(1).max(100),
        critical: rate,
        normal: rate,
        sheddable: rate,
        test: rate,
      }),
    )
    .max(10_000),
});

export type Demand = ReadonlyMap<string, PriorityRates>;

export async function publishDemand(
  redis: Redis,
  keys: ControlKeys,
  source: string,
  demand: Demand,
): Promise<void> {
  const rules = [...demand].map(([rule, rates]) => ({ rule, ...rates }));
  await redis.publish(keys.demand, JSON.stringify({ source, demand: rules }));
}

/** Null for what is no such message of this build. */
export function parseDemand(message: string): { source: string; demand: Demand } | null {
  try {
    const result = DemandSchema.safeParse(JSON.parse(message));
    if (!result.success) return null;
    const { source, demand } = result.data;
    return { source, demand: new Map(demand.map(({ rule, ...rates }) => [rule, rates])) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
