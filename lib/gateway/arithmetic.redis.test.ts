import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Rule } from "../core/rule";
import {
  directoryOf,
  echoUpstream,
  type Listening,
  publishDirectory,
  publishRules,
  randomEnvironment,
  startGateway,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { bodyOf, ruleOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";

const environment = randomEnvironment();
const CLIENTS = 20;
const keyOf = (client: number) => `hg-key-${client}`;
const KEYS = Object.fromEntries(
  Array.from({ length: CLIENTS }, (_, i) => [
    keyOf(i),
    { id: `k${i}`, customer: `customer-${i}`, plan: "free" },
  ]),
);

let redis: Redis;
let upstream: Listening;
let folders: Awaited<ReturnType<typeof temporaryFolder>>[];
/** Two that trust this machine as a hop, and one that trusts nobody. */
let gateways: TestGateway[];
let version = 0;

beforeAll(async () => {
  redis = new Redis(sharedRedisUrl());
  upstream = await echoUpstream();
  await publishDirectory(redis, directoryOf(environment, KEYS));
  folders = await Promise.all([temporaryFolder(), temporaryFolder(), temporaryFolder()]);
  gateways = await Promise.all(
    folders.map((folder, i) =>
      startGateway({
        environment,
        redisUrl: sharedRedisUrl(),
        upstream: upstream.url,
        dataDir: folder.path,
        id: `gateway-${i}`,
        ...(i === 2 ? { trustProxy: { kind: "networks" as const, cidrs: [] } } : {}),
      }),
    ),
  );
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all([upstream.close(), ...folders.map((folder) => folder.remove())]);
  redis.disconnect();
});

/** Each test has rules with counters of their own. */
async function publish(rule: Rule): Promise<void> {
  version += 1;
  const body = bodyOf([rule]);
  for (const { live } of body.rules) if (live !== undefined) live.slot = version;
  await publishRules(redis, { environment, version, body });
  await waitFor(() => gateways.every(({ status }) => status().rules.applied?.version === version));
  await waitFor(() => gateways.every(({ status }) => status().directory.complete));
}

async function ask({
  client = 0,
  gateway = 0,
  cost,
}: {
  client?: number;
  gateway?: number;
  cost?: string;
}) {
  const answer = await fetch(`${gateways[gateway]?.url}/v1/messages`, {
    headers: { "x-api-key": keyOf(client), ...(cost === undefined ? {} : { "x-cost": cost }) },
  });
  const text = await answer.text();
  return {
    status: answer.status,
    retryAfter: Number(answer.headers.get("retry-after")),
    limit: answer.headers.get("x-ratelimit-limit"),
    remaining: answer.headers.get("x-ratelimit-remaining"),
    policy: answer.headers.get("ratelimit-policy"),
    resetSeconds: Number(/;t=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]),
    problem: answer.status === 429 ? JSON.parse(text) : null,
  };
}

const all = (count: number, one: (i: number) => ReturnType<typeof ask>) =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)));

describe("A1: Retry-After", () => {
  test("is 8.571 s rounded up for one token of 7 a minute, and 25.714 s for three", async () => {
    await publish(
      tokenBucketRule({
        limit: { default: { rate: 7, per: "1m", burst: 7 } },
        cost: { header: "x-cost", default: 1 },
      }),
    );
    const first = await all(7, (i) => ask({ gateway: i % 2 }));
    expect(first.map(({ status }) => status)).toEqual(Array(7).fill(200));
    const one = await ask({});
    const three = await ask({ cost: "3" });
    expect([one.status, one.retryAfter, one.resetSeconds]).toEqual([429, 9, 9]);
    expect([three.status, three.retryAfter]).toEqual([429, 26]);
    expect(three.resetSeconds).toBeLessThanOrEqual(three.retryAfter);
    expect(three.problem.retryAfter).toBe(26);
  });

  test.each([
    ["token bucket", tokenBucketRule({ limit: { default: { rate: 3, per: "4s", burst: 3 } } })],
    [
      "sliding window",
      ruleOf({ kind: "rate", algorithm: "sliding-window", default: { rate: 3, per: "1s" } }),
    ],
    [
      "fixed window",
      ruleOf({ kind: "rate", algorithm: "fixed-window", default: { rate: 3, per: "2s" } }),
    ],
  ])(
    "of a %s, obeyed, is enough for all of 20 clients from phases of their own",
    async (_, rule) => {
      await publish(rule);
      const served = await Promise.all(
        Array.from({ length: CLIENTS }, async (_, client) => {
          await wait(client * 37);
          let refused = await ask({ client });
          while (refused.status === 200) refused = await ask({ client });
          expect(refused.resetSeconds).toBeLessThanOrEqual(refused.retryAfter);
          await wait(refused.retryAfter * 1000);
          return (await ask({ client, gateway: client % 2 })).status;
        }),
      );
      expect(served).toEqual(Array(CLIENTS).fill(200));
    },
  );

  test("a cost is believed of a trusted hop only, and only where it is a number that is allowed", async () => {
    await publish(
      tokenBucketRule({
        limit: { default: { rate: 1, per: "1h", burst: 100 } },
        cost: { header: "x-cost", default: 2 },
      }),
    );
    const left: unknown[] = [];
    const words = ["7", " 10 ", "0", "-5", "1e1", "2.5", "1000001", "many", ""];
    for (const cost of words) left.push((await ask({ cost })).remaining);
    expect(left).toEqual(["93", "83", "81", "79", "77", "75", "73", "71", "69"]);
    expect((await ask({ cost: "7", gateway: 2 })).remaining).toBe("67");
    const never = await ask({ cost: "101" });
    expect([never.status, never.retryAfter, never.remaining]).toEqual([429, 0, "67"]);
    expect(never.problem.detail).toContain("takes 101 at once, which it never allows");
  });
});

/** What a client does between two requests. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe("A5: great numbers", () => {
  test.each([
    [3_000_000_000, "2999999900"],
    [4_000_000_000, "3999999900"],
  ])("of %i a month 100 requests leave %s, exactly", async (quota, left) => {
    const amount = { rate: quota, per: "1mo" };
    await publish(ruleOf({ kind: "rate", algorithm: "fixed-window", default: amount }));
    const answers = await all(100, (i) => ask({ gateway: i % 2 }));
    expect(new Set(answers.map(({ limit }) => limit))).toEqual(new Set([String(quota)]));
    const remaining = answers.map((answer) => answer.remaining ?? "").sort();
    expect(remaining[0]).toBe(left);
    expect(remaining.every((each) => /^[0-9]+$/.test(each))).toBe(true);
    const [answer] = answers;
    const now = new Date();
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
    const seconds = (Date.UTC(year, month + 1) - Date.UTC(year, month)) / 1000;
    expect(answer?.policy).toBe(`"per-key-rate";q=${quota};w=${seconds}`);
  });
});
