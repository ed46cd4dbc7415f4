import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckRule } from "@/lib/core/check";
import type { Rate } from "@/lib/core/limit";
import { createRedisStore } from "@/lib/limiter/redis-store";
import { stateKey } from "@/lib/limiter/state-key";
import type { Check } from "./drive";

/** So slow that no bucket is full again, and gone, while a bench runs; so wide that every check is admitted. */
const AMOUNTS: Rate[] = [
  { rate: 10, per: "1h", burst: 10_000 },
  { rate: 100, per: "1d", burst: 10_000 },
  { rate: 1_000, per: "30d", burst: 10_000 },
];
const NAMES = ["per-key-hour", "per-key-day", "per-key-month"];
const ENVIRONMENT = "production";

/** An API key's id, as long as real ones. */
export function principalOf(client: number): string {
  return `key:k_${(0x9e3779b9n * BigInt(client + 1)).toString(36).padStart(16, "0")}`;
}

export function amountsOf(rules: number): Rate[] {
  return Array.from({ length: rules }, (_, index) => AMOUNTS[index % AMOUNTS.length] as Rate);
}

/** The rules of a client's request, as the matcher hands them to the store. `space` keeps benches apart. */
export function rulesOf(client: number, rules: number, space = ENVIRONMENT): CheckRule[] {
  const key = stateKey(space, principalOf(client));
  return (
    LIMITS[rules]?.map((limit, index) => ({
      ruleId: ruleName(index),
      key,
      slot: index + 1,
      role: "enforced" as const,
      limit,
      cost: 1,
    })) ?? []
  );
}

const LIMITS = Array.from({ length: 9 }, (_, rules) => amountsOf(rules).map(tokenBucket));

/** The store and the script as shipped. */
export function headgate(redis: Redis, rules: number): Check {
  const store = createRedisStore({ redis });
  const space = `${ENVIRONMENT}${rules}`;
  return async (client) => {
    const result = await store.check({ rules: rulesOf(client, rules, space) });
    if (result.verdict === "unavailable") throw new Error(`${result.reason}: ${result.message}`);
    return result.verdict === "allowed";
  };
}

/** The plain script: one key a rule, named as people name them. */
export function plain(redis: Redis, rules: number): Check {
  const lua = readFileSync(new URL("./plain.lua", import.meta.url), "utf8");
  redis.defineCommand("plainCheck", { lua });
  const client = redis as unknown as {
    plainCheck(numberOfKeys: number, ...keysAndNumbers: (string | number)[]): Promise<unknown>;
  };
  const numbers = (LIMITS[rules] ?? []).flatMap(({ rate, perSeconds, burst }) => [
    rate / perSeconds,
    burst,
  ]);
  return async (index) => {
    const prefix = `limit:${ENVIRONMENT}${rules}:{${principalOf(index)}}`;
    const keys = Array.from({ length: rules }, (_, rule) => `${prefix}:${ruleName(rule)}`);
    return (await client.plainCheck(rules, ...keys, ...numbers)) === 1;
  };
}

function ruleName(index: number): string {
  return `${NAMES[index % NAMES.length]}${index < NAMES.length ? "" : `-${index}`}`;
}
