import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../log";
import { connectRedis } from "../redis/connect";
import { controlKeys } from "../redis/control-keys";
import type { Demand } from "../redis/demand";
import { addressOf } from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { waitFor } from "../testing/wait-for";
import { openDemandExchange } from "./demand-exchange";

const log = createLog({ name: "test", level: "silent" });
const redisKeys = controlKeys("test");
const demandOf = (normal: number): Demand =>
  new Map([["fleet", { critical: 0, normal, sheddable: 0, test: 0 }]]);

let server: TestRedis;
let ends: (() => Promise<void> | void)[];

beforeEach(async () => {
  server = await startRedis();
  ends = [];
});

afterEach(async () => {
  for (const end of ends) await end();
  await server.stop();
});

/** A process that takes part; `heard` is the last that each told it. */
function join(name: string, demand: Demand | null) {
  const address = addressOf(server.url);
  const redis = connectRedis({ address, role: "control", name: `${name}-control`, log });
  const subscriber = connectRedis({ address, role: "subscriber", name: `${name}-sub`, log });
  const heard = new Map<string, Demand>();
  const state = { demand, heard, measured: 0 };
  const exchange = openDemandExchange({
    source: {
      name,
      measure: () => {
        state.measured += 1;
        return state.demand;
      },
      hear: (from, told) => heard.set(from, told),
    },
    redis,
    subscriber,
    redisKeys,
    fleetSize: () => 2,
    log,
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await exchange.close();
    isOpen = false;
  };
  ends.push(async () => {
    await close();
    redis.disconnect();
    subscriber.disconnect();
  });
  return { ...state, state, redis, close };
}

test("each hears all, itself among them, and hears when one leaves", async () => {
  const a = join("a", demandOf(10));
  const b = join("b", demandOf(20));
  await waitFor(() => a.heard.size === 2 && b.heard.size === 2);
  expect(a.heard).toEqual(
    new Map([
      ["a", demandOf(10)],
      ["b", demandOf(20)],
    ]),
  );
  expect(b.heard).toEqual(a.heard);
  await b.close();
  await waitFor(() => a.heard.get("b")?.size === 0);
});

test("without fleet rules nobody subscribes and nobody speaks; with the first it begins, with the last it ends", async () => {
  const a = join("a", null);
  await waitFor(() => a.state.measured >= 2);
  const subscribers = async () => Number((await a.redis.pubsub("NUMSUB", redisKeys.demand))[1]);
  expect(await subscribers()).toBe(0);
  a.state.demand = demandOf(1);
  await waitFor(() => a.heard.has("a"));
  expect(await subscribers()).toBe(1);
  a.state.demand = null;
  await waitFor(async () => (await subscribers()) === 0);
});

test("while Redis is away demand is still measured; when it is back all hear each other again", async () => {
  const a = join("a", demandOf(10));
  const b = join("b", demandOf(20));
  await waitFor(() => a.heard.size === 2 && b.heard.size === 2);
  const { port } = server;
  await server.stop();
  const { measured } = a.state;
  await waitFor(() => a.state.measured > measured + 1);
  for (const { heard } of [a, b]) heard.clear();
  server = await startRedis({ port });
  await waitFor(() => a.heard.size === 2 && b.heard.size === 2, { timeoutMs: 10_000 });
});

test("what is no demand is not heard", async () => {
  const a = join("a", demandOf(10));
  await waitFor(() => a.heard.has("a"));
  const wrong = [
    "no json",
    "{}",
    JSON.stringify({
      source: "x",
      demand: [{ rule: "r", critical: -1, normal: 0, sheddable: 0, test: 0 }],
    }),
  ];
  for (const message of wrong) await a.redis.publish(redisKeys.demand, message);
  await a.redis.publish(redisKeys.demand, JSON.stringify({ source: "z", demand: [] }));
  await waitFor(() => a.heard.has("z"));
  expect([...a.heard.keys()].sort()).toEqual(["a", "z"]);
});
