import { connect } from "node:net";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClientId } from "../core/client-id";
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
const KEYS = {
  "hg-key-one": { id: "k1", customer: "acme", plan: "free" },
  "hg-key-two": { id: "k2", customer: "bolt", plan: "paid" },
};
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateways: [TestGateway, TestGateway];
let version = 0;

beforeAll(async () => {
  redis = new Redis(sharedRedisUrl());
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  await publishDirectory(redis, directoryOf(environment, KEYS));
  const common = {
    environment,
    redisUrl: sharedRedisUrl(),
    upstream: upstream.url,
    dataDir: folder.path,
  };
  gateways = [
    await startGateway({ ...common, id: "gateway-a" }),
    await startGateway({ ...common, id: "gateway-b" }),
  ];
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await Promise.all([upstream.close(), folder.remove()]);
  redis.disconnect();
});

/** Each test has rules of its own, with ids and so counters of their own. */
async function publish(rules: Rule[], fields: Parameters<typeof bodyOf>[1] = {}) {
  version += 1;
  const slot = version * 10;
  const body = bodyOf(rules, fields);
  for (const [i, entry] of body.rules.entries()) if (entry.live) entry.live.slot = slot + i;
  await publishRules(redis, { environment, version, body });
  await waitFor(() =>
    gateways.every((gateway) => gateway.status().rules.applied?.version === version),
  );
  await waitFor(() => gateways.every((gateway) => gateway.status().directory.complete));
}

test("100 parallel requests over two gateways on one key with 60 per 1h: exactly 60 pass", async () => {
  await publish([tokenBucketRule({ limit: { default: { rate: 60, per: "1h", burst: 60 } } })]);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      fetch(`${gateways[i % 2]?.url}/v1/messages`, { headers: { "x-api-key": "hg-key-one" } }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
  expect(statuses.filter((status) => status === 429)).toHaveLength(40);
});

test("a refusal says which rule, how long to wait, and by which version", async () => {
  await publish([
    tokenBucketRule({ id: "tiny", limit: { default: { rate: 1, per: "1h", burst: 1 } } }),
  ]);
  const send = () =>
    fetch(`${gateways[0].url}/v1/messages`, {
      headers: { "x-api-key": "hg-key-one", "x-request-id": "req-7", origin: "https://a.example" },
    });
  const first = await send();
  expect(first.status).toBe(200);
  expect(first.headers.get("x-ratelimit-remaining")).toBe("0");
  const second = await send();
  expect(second.status).toBe(429);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(3500);
  expect(second.headers.get("x-request-id")).toBe("req-7");
  expect(second.headers.get("content-type")).toBe("application/problem+json");
  expect(second.headers.get("access-control-allow-origin")).toBe("https://a.example");
  expect(await second.json()).toMatchObject({
    status: 429,
    rule: "tiny",
    version,
    requestId: "req-7",
    "violated-policies": ["tiny"],
  });
});

test("where no enforced rule matched there are no rate-limit fields", async () => {
  await publish([]);
  const answer = await fetch(`${gateways[0].url}/v1/messages`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  expect(answer.headers.get("ratelimit")).toBeNull();
});

describe("a shadow rule changes nothing", () => {
  test("status, fields and body are the same with and without it, also when it would refuse", async () => {
    const enforced = tokenBucketRule({ id: "enforced" });
    const shadow = tokenBucketRule({
      id: "shadow",
      mode: "shadow",
      limit: { default: { rate: 1, per: "1h", burst: 1 } },
    });
    const seen: string[][] = [];
    for (const rules of [[enforced], [enforced, shadow], []]) {
      await publish(rules);
      const answers: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        const answer = await fetch(`${gateways[0].url}/v1/messages`, {
          headers: { "x-api-key": "hg-key-two", "x-request-id": "same" },
        });
        const fields = [...answer.headers].filter(([name]) => name !== "date");
        answers.push(JSON.stringify([answer.status, fields, await answer.text()]));
      }
      seen.push(answers);
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).not.toEqual(seen[0]);
  });

  test("its would-be refusals are counted", async () => {
    await publish([
      tokenBucketRule({
        id: "watch",
        mode: "shadow",
        limit: { default: { rate: 2, per: "1h", burst: 2 } },
      }),
    ]);
    for (let i = 0; i < 5; i += 1)
      expect(
        (await fetch(gateways[0].url, { headers: { "x-api-key": "hg-key-one" } })).status,
      ).toBe(200);
    const metrics = await (await fetch(`${gateways[0].adminUrl}/metrics`)).text();
    expect(metrics).toContain('headgate_rejections_total{rule="watch",mode="shadow"} 3');
    expect(metrics).toContain('headgate_matches_total{rule="watch",mode="shadow"} 5');
  });
});

describe("D4: methods", () => {
  const cors = { origin: "https://a.example", "access-control-request-method": "POST" };
  const send = (method: string, headers: Record<string, string> = {}) =>
    fetch(`${gateways[0].url}/v1/messages`, { method, headers });

  test("preflights cost nothing, a plain OPTIONS counts", async () => {
    await publish([
      tokenBucketRule({
        id: "by-ip",
        countBy: ["ip"],
        limit: { default: { rate: 2, per: "1h", burst: 2 } },
      }),
    ]);
    for (let i = 0; i < 20; i += 1) expect((await send("OPTIONS", cors)).status).toBe(200);
    expect((await send("OPTIONS")).status).toBe(200);
    expect((await send("GET", { origin: "https://a.example" })).status).toBe(200);
    const refused = await send("GET", { origin: "https://a.example" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
  });

  test("HEAD counts under GET, and a method override is not seen", async () => {
    await publish([
      tokenBucketRule({
        id: "reads",
        countBy: ["ip"],
        match: { methods: ["GET"] },
        limit: { default: { rate: 1, per: "1h", burst: 1 } },
      }),
    ]);
    expect((await send("POST", { "x-http-method-override": "GET" })).status).toBe(200);
    expect((await send("HEAD")).status).toBe(200);
    expect((await send("GET")).status).toBe(429);
    const head = await send("HEAD");
    expect(head.status).toBe(429);
    expect(await head.text()).toBe("");
  });
});

test("an unknown key counts as anonymous by address, or is refused where the settings say so", async () => {
  const rule = tokenBucketRule({
    id: "clients",
    countBy: ["client"],
    limit: { anonymous: { rate: 1, per: "1h", burst: 1 }, default: "unlimited" },
  });
  await publish([rule]);
  const send = (key?: string) =>
    fetch(gateways[0].url, { headers: key === undefined ? {} : { "x-api-key": key } });
  expect((await send("hg-nobody")).status).toBe(200);
  expect((await send()).status).toBe(429);
  expect((await send("hg-key-one")).status).toBe(200);
  await publish([rule], { settings: { ...bodyOf([]).settings, unknownKey: "reject" } });
  const refused = await send("hg-nobody");
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
});

test("an override beats the plan until it expires, by itself", async () => {
  await publish([
    tokenBucketRule({ id: "per-key", limit: { default: { rate: 1, per: "1h", burst: 1 } } }),
  ]);
  const override = {
    type: "override" as const,
    id: "o1",
    client: "key:k2" as const,
    rule: "per-key",
    limit: { rate: 100, per: "1h", burst: 100 },
    expiresAtMs: Date.now() + 1_500,
  };
  await publishDirectory(redis, directoryOf(environment, KEYS, [override], 2));
  await waitFor(() => gateways[0].status().directory.position?.seq === 2);
  const send = () => fetch(gateways[0].url, { headers: { "x-api-key": "hg-key-two" } });
  expect((await send()).headers.get("x-ratelimit-limit")).toBe("100");
  await waitFor(async () => (await send()).headers.get("x-ratelimit-limit") === "1");
});

test("a customer's and an address's override hold for all their requests; a key's own is stronger", async () => {
  const limit = { kind: "rate" as const, algorithm: "sliding-window" as const };
  const nine = { ...limit, default: { rate: 9, per: "1h" } };
  await publish([ruleOf(nine, { id: "by-client", countBy: ["client"] })]);
  const override = (id: string, client: ClientId, rate: number) => ({
    type: "override" as const,
    id,
    client,
    rule: "by-client",
    limit: { rate, per: "1h" },
    expiresAtMs: Date.now() + 60_000,
  });
  const misfit = { ...override("o4", "key:k1", 1), limit: { rate: 1, per: "1h", burst: 1 } };
  const overrides = [
    override("o1", "customer:acme", 200),
    override("o2", "key:k2", 300),
    override("o3", "ip:127.0.0.1", 400),
    misfit,
  ];
  await publishDirectory(redis, directoryOf(environment, KEYS, overrides, 3));
  await waitFor(() => gateways[0].status().directory.position?.seq === 3);
  const limitOf = async (headers: Record<string, string>) =>
    (await fetch(gateways[0].url, { headers })).headers.get("x-ratelimit-limit");
  expect(await limitOf({ "x-api-key": "hg-key-one" })).toBe("200");
  expect(await limitOf({ "x-api-key": "hg-key-two" })).toBe("300");
  expect(await limitOf({})).toBe("400");
});

test("a refused upload that waits for 100 Continue is told so before it is sent", async () => {
  await publish([
    tokenBucketRule({ id: "uploads", limit: { default: { rate: 1, per: "1h", burst: 1 } } }),
  ]);
  const upload = (body: string | null) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port: gateways[0].port });
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk;
        if (body !== null && received.includes("100 Continue")) {
          socket.write(body);
          body = null;
        }
        if (received.includes("X-Request-Id")) socket.end();
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(received));
      socket.write(
        "POST /v1/messages HTTP/1.1\r\nHost: a\r\nX-Api-Key: hg-key-one\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
      );
    });
  expect(await upload("hello")).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  const refused = await upload(null);
  expect(refused).toMatch(/^HTTP\/1\.1 429 /);
  expect(refused).toContain("\r\nConnection: close\r\n");
});

test("C6: a header that nobody sent is absent, whatever it is called", async () => {
  for (const name of ["constructor", "__proto__"]) {
    await publish([
      tokenBucketRule({
        id: "odd-name",
        countBy: [`header:${name}`],
        limit: { default: { rate: 1, per: "1h", burst: 1 } },
      }),
    ]);
    const answer = await fetch(gateways[0].url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  }
});

test("an HTTP/1.0 client that expects 100 Continue is not told to go on: it knows no such answer", async () => {
  await publish([]);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: gateways[0].port });
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    socket.write(
      "POST / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
    );
  });
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test("the admin port says which methods it allows", async () => {
  const answer = await fetch(`${gateways[0].adminUrl}/status`, { method: "POST" });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("GET, HEAD");
});

test("a target that is no path is 400, an absolute one is its path", async () => {
  await publish([]);
  const send = (line: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port: gateways[0].port });
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk;
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(received));
      socket.write(`${line}\r\nHost: gateway\r\nConnection: close\r\n\r\n`);
    });
  expect(await send("OPTIONS * HTTP/1.1")).toMatch(/^HTTP\/1\.1 400 /);
  const absolute = await send("GET http://api.example/v1/a?b=1 HTTP/1.1");
  expect(absolute).toMatch(/^HTTP\/1\.1 200 /);
  expect(absolute).toContain('"url":"/v1/a?b=1"');
  expect(absolute).toContain('"x-forwarded-host":"api.example"');
});
