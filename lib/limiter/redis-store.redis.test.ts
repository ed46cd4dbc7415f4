import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { tokenBucket } from "@/lib/core/bucket";
import type { CheckRule } from "@/lib/core/check";
import { decodeRecords } from "@/lib/core/record";
import { startRedis } from "@/lib/testing/redis";
import { sharedRedisUrl } from "@/lib/testing/services";
import { waitFor } from "@/lib/testing/wait-for";
import { createRedisStore } from "./redis-store";
import { describeStore } from "./store-contract";

function connect(url = sharedRedisUrl()): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false });
  redis.on("error", () => {});
  return redis;
}

describeStore("the Redis store", async () => {
  let timeUs = 0;
  const redis = connect();
  return {
    store: createRedisStore({ redis, testTimeUs: () => timeUs }),
    setTimeUs: (value) => {
      timeUs = value;
    },
    recordsOf: async (key) => decodeRecords((await redis.getBuffer(key)) ?? new Uint8Array()),
    close: async () => redis.disconnect(),
  };
});

const redis = connect();
const store = createRedisStore({ redis });
afterAll(() => redis.disconnect());

let last = 0;
function hourly(burst: number) {
  last += 1;
  const key = `hg:ttl${process.pid}${Date.now()}:1:{key:${last}}`;
  const limit = tokenBucket({ rate: 1, per: "1h", burst });
  return { ruleId: "hourly", key, slot: 4_294_967_295, role: "enforced" as const, limit, cost: 1 };
}

test("the server's clock decides when no test time is given", async () => {
  const result = await store.check({ rules: [hourly(5)] });
  expect(result).toMatchObject({ verdict: "allowed", source: "redis" });
  expect(Math.abs((result.nowUs ?? 0) / 1000 - Date.now())).toBeLessThan(60_000);
});

test("a key lives until its last bucket is full, set in the same write", async () => {
  const rule = hourly(5);
  await store.check({ rules: [rule] });
  const first = await redis.ttl(rule.key);
  expect(first).toBeGreaterThan(3595);
  expect(first).toBeLessThanOrEqual(3601);
  await store.check({ rules: [rule] });
  expect(await redis.ttl(rule.key)).toBeGreaterThan(7190);
  await store.check({
    rules: [{ ...rule, slot: 7, limit: tokenBucket({ rate: 1, per: "1s", burst: 1 }) }],
  });
  expect(await redis.ttl(rule.key)).toBeGreaterThan(7190);
});

test("of several rules on a key the slowest decides how long it lives, in any order", async () => {
  for (const slowFirst of [true, false]) {
    const slow = hourly(5);
    const fast = { ...slow, slot: 7, limit: tokenBucket({ rate: 1, per: "1s", burst: 1 }) };
    await store.check({ rules: slowFirst ? [slow, fast] : [fast, slow] });
    expect(await redis.ttl(slow.key)).toBeGreaterThan(3595);
  }
});

test("one rule takes three commands in the script, a refusal two, four rules on two keys four", async () => {
  const server = await startRedis();
  const other = connect(server.url);
  const alone = createRedisStore({ redis: other });
  const commandsOf = async (rules: CheckRule[]) => {
    await other.config("RESETSTAT");
    await alone.check({ rules });
    const stats = await other.info("commandstats");
    return [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)]
      .filter(([, name]) => !["evalsha", "eval", "info"].includes(name ?? ""))
      .filter(([line]) => !line.includes("config"))
      .map(([, name, calls]) => `${name} ${calls}`)
      .sort();
  };
  const a = hourly(1);
  const b = hourly(3);
  expect(await commandsOf([a])).toEqual(["get 1", "set 1", "time 1"]);
  expect(await commandsOf([a])).toEqual(["get 1", "time 1"]);
  const four = [b, { ...b, slot: 2 }, { ...b, slot: 3 }, hourly(9)];
  expect(await commandsOf(four)).toEqual(["mget 1", "set 2", "time 1"]);
  other.disconnect();
  await server.stop();
});

test("under load the checks of a turn are one call and one write a key, at most 32 in one; alone none waits", async () => {
  const server = await startRedis();
  const other = connect(server.url);
  const alone = createRedisStore({ redis: other });
  const rule = hourly(1000);
  const callsOf = async (checks: number) => {
    await other.config("RESETSTAT");
    await Promise.all(Array.from({ length: checks }, () => alone.check({ rules: [rule] })));
    const stats = await other.info("commandstats");
    const calls = (name: string) =>
      Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1]);
    return [calls("evalsha"), calls("set")];
  };
  await alone.check({ rules: [rule] });
  expect(await callsOf(1)).toEqual([1, 1]);
  expect(await callsOf(34)).toEqual([3, 3]);
  expect(await callsOf(50)).toEqual([4, 4]);
  expect(await alone.check({ rules: [rule] })).toMatchObject({ binding: { remaining: 913 } });
  other.disconnect();
  await server.stop();
});

test("a request may meet 300 rules with a bucket each", async () => {
  const rules = Array.from({ length: 300 }, () => hourly(5));
  await store.check({ rules });
  const result = await store.check({ rules });
  expect(result).toMatchObject({ verdict: "allowed" });
  const perRule = result.verdict === "unavailable" ? [] : result.perRule;
  expect(new Set(perRule.map(({ remaining }) => remaining))).toEqual(new Set([3]));
});

test("a script flushed again, just before it is asked for once more, is loaded again", async () => {
  const own = connect();
  const flushed = createRedisStore({ redis: own });
  await flushed.check({ rules: [hourly(5)] });
  const send = own.sendCommand.bind(own);
  let asked = 0;
  // Of two checks the first loads the script for both; then it is gone before the second comes.
  own.sendCommand = (command, stream) => {
    asked += command.name === "evalsha" ? 1 : 0;
    if (command.name === "evalsha" && (asked === 1 || asked === 4)) void own.script("FLUSH");
    return send(command, stream);
  };
  const rules = [hourly(5)];
  const results = await Promise.all([
    flushed.checkAlone({ rules }, false),
    flushed.checkAlone({ rules }, false),
  ]);
  expect(asked).toBeGreaterThan(4);
  expect(results).toMatchObject([{ verdict: "allowed" }, { verdict: "allowed" }]);
  expect(await flushed.check({ rules })).toMatchObject({ binding: { remaining: 2 } });
  own.disconnect();
});

test("a flushed script is loaded again and the check charged once", async () => {
  const rule = hourly(5);
  await store.check({ rules: [rule] });
  await redis.script("FLUSH");
  expect(await store.check({ rules: [rule] })).toMatchObject({ binding: { remaining: 3 } });
});

test("an error of the server is a value", async () => {
  const rule = hourly(5);
  await redis.hset(rule.key, "not", "a string");
  expect(await store.check({ rules: [rule] })).toMatchObject({
    verdict: "unavailable",
    reason: "error",
    message: expect.stringContaining("WRONGTYPE"),
  });
});

test("a server that is gone is a value, and nothing is sent twice", async () => {
  const server = await startRedis();
  const other = new Redis(server.url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  other.on("error", () => {});
  const gone = createRedisStore({ redis: other });
  await waitFor(() => other.status === "ready");
  expect((await gone.check({ rules: [hourly(5)] })).verdict).toBe("allowed");
  server.kill("SIGSTOP");
  const hanging = gone.check({ rules: [hourly(5)] });
  server.kill("SIGKILL");
  const away = { reason: "disconnected", message: "Redis is not connected" };
  expect(await hanging).toMatchObject({ verdict: "unavailable", ...away });
  expect(await gone.check({ rules: [hourly(5)] })).toMatchObject(away);
  other.disconnect();
  await server.stop();
});

test("a damaged value counts as absent from where it is damaged", async () => {
  const rule = hourly(5);
  await redis.set(rule.key, Buffer.from([1, 26, 0, 0]));
  expect(await store.check({ rules: [rule] })).toMatchObject({ binding: { remaining: 4 } });
  await redis.set(rule.key, Buffer.alloc(40, 255));
  expect(await store.check({ rules: [rule] })).toMatchObject({ binding: { remaining: 4 } });
});
