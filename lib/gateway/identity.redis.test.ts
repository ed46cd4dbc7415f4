import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Rule } from "../core/rule";
import { SettingsSchema } from "../core/ruleset";
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
import { sendRaw } from "../testing/raw-http";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";

const environment = randomEnvironment();
const K1 = "hg_live_k1_the_same_start";
const K2 = "hg_live_k1_the_other_end";
const KEYS = {
  [K1]: { id: "k1", customer: "acme", plan: "free" },
  [K2]: { id: "k2", customer: "bolt", plan: "constructor" },
};
const PEER = "ip:127.0.0.1";
let redis: Redis;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** Believes what 127.0.0.1, which is each test's peer, says of a client. */
let trusting: TestGateway;
/** Believes nobody. */
let wary: TestGateway;
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
  [trusting, wary] = await Promise.all([
    startGateway({ ...common, id: "trusting" }),
    startGateway({ ...common, id: "wary", trustProxy: { kind: "none" } }),
  ]);
});

afterAll(async () => {
  await Promise.all([trusting.close(), wary.close()]);
  await Promise.all([upstream.close(), folder.remove()]);
  redis.disconnect();
});

const plenty = { rate: 100_000, per: "1h", burst: 100_000 };
const byClient = tokenBucketRule({
  id: "by-client",
  countBy: ["client"],
  limit: { default: plenty, anonymous: plenty },
});

async function publish(rules: Rule[], settings: object = {}) {
  version += 1;
  const body = bodyOf(rules, { settings: SettingsSchema.parse(settings) });
  for (const [i, entry] of body.rules.entries()) if (entry.live) entry.live.slot = version * 10 + i;
  await publishRules(redis, { environment, version, body });
  for (const gateway of [trusting, wary])
    await waitFor(
      () =>
        gateway.status().rules.applied?.version === version && gateway.status().directory.complete,
    );
}

/** Whom buckets were made for since `forget`. */
async function principals(): Promise<string[]> {
  const found: string[] = [];
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", `hg:${environment}:1:*`, "COUNT", 1000);
    found.push(...keys.map((key) => key.slice(`hg:${environment}:1:`.length)));
    cursor = next;
  } while (cursor !== "0");
  return [...new Set(found)].map((key) => key.replace(/^\{|\}$/g, "")).sort();
}

async function forget(): Promise<void> {
  for (const name of await principals()) {
    const key = name.includes("}") ? `{${name}` : `{${name}}`;
    await redis.del(`hg:${environment}:1:${key}`);
  }
}

/** Whose bucket a request with these header lines is counted in. */
async function clientOf(lines: readonly string[], gateway = trusting): Promise<string> {
  await forget();
  const { status } = await sendRaw(gateway.port, lines);
  expect(status).toBe(200);
  return (await principals()).join(" ");
}

async function metric(gateway: TestGateway, name: string): Promise<number> {
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  if (line === undefined) throw new Error(`there is no metric ${name}`);
  return Number(line.slice(name.length + 1));
}

async function upstreamSees(lines: readonly string[], gateway = trusting) {
  const { body } = await sendRaw(gateway.port, lines);
  return (JSON.parse(body) as { headers: Record<string, string> }).headers;
}

describe("C1: the address, from trusted hops", () => {
  test("every spelling of one address is one client, all of a /64 another", async () => {
    await publish([byClient]);
    const is = async (value: string, client: string) =>
      expect([value, await clientOf([`X-Forwarded-For: ${value}`])]).toEqual([value, client]);
    for (const value of [
      "203.0.113.7:51234",
      "203.0.113.7",
      " 203.0.113.7 \t",
      "::ffff:203.0.113.7",
      "::ffff:cb00:7107",
      "[::ffff:203.0.113.7]:80",
    ])
      await is(value, "ip:203.0.113.7");
    for (const value of ["[2001:db8:7::1]:443", "[2001:db8:7::2]", "2001:DB8:7::3%1"])
      await is(value, "ip:2001:db8:7::/64");
    await is("fe80::1%eth0", "ip:fe80::/64");
  });

  test("what does not parse is the peer's, never a bucket of its own, and is counted", async () => {
    await publish([byClient]);
    const before = await metric(trusting, "headgate_forwarded_for_junk_total");
    const junk = [
      "unknown",
      "_hidden",
      "203.0.113.7.evil",
      "203.0.113.07",
      "0x7f.1",
      "2130706433",
      "[2001:db8::1",
      "203.0.113.7:port",
      "for=203.0.113.7",
      '"203.0.113.7"',
      "\xff\xfe",
      "x".repeat(8_000),
    ];
    await forget();
    for (const value of junk)
      expect((await sendRaw(trusting.port, [`X-Forwarded-For: ${value}`])).status).toBe(200);
    expect(await principals()).toEqual([PEER]);
    const after = await metric(trusting, "headgate_forwarded_for_junk_total");
    expect(after - before).toBe(junk.length);
    for (const value of ["", "  ", ",", ", ,"])
      expect(await clientOf([`X-Forwarded-For: ${value}`])).toBe(PEER);
    expect(await metric(trusting, "headgate_forwarded_for_junk_total")).toBe(after);
  });

  test("several lines are one list, 400 entries are read from their end", async () => {
    await publish([byClient]);
    const lines = ["1.1.1.1", "2.2.2.2, 203.0.113.7", "127.0.0.9"];
    expect(await clientOf(lines.map((line) => `X-Forwarded-For: ${line}`))).toBe("ip:203.0.113.7");
    const many = Array.from({ length: 400 }, (_, i) => `198.51.100.${i % 250}`).join(", ");
    expect(await clientOf([`X-Forwarded-For: ${many}, 203.0.113.9`])).toBe("ip:203.0.113.9");
  });

  test("nothing that a stranger says is believed or passed on", async () => {
    await publish([byClient]);
    const lies = [
      "X-Forwarded-For: 203.0.113.7",
      "Forwarded: for=203.0.113.7;proto=https",
      "X-Forwarded-Proto: https",
      "X-Forwarded-Host: evil.example",
    ];
    expect(await clientOf(lies, wary)).toBe(PEER);
    const seen = await upstreamSees(lies, wary);
    expect(seen).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "api.example",
    });
    expect(seen).not.toHaveProperty("forwarded");
  });

  test("the upstream sees the client as it was judged, without the client's own words", async () => {
    await publish([byClient]);
    const seen = await upstreamSees([
      "X-Forwarded-For: 1.1.1.1, 203.0.113.7",
      "X-Forwarded-Proto: https",
      "Forwarded: for=1.1.1.1",
    ]);
    expect(seen).toMatchObject({
      "x-forwarded-for": "203.0.113.7, 127.0.0.1",
      "x-forwarded-proto": "https",
    });
    expect(seen).not.toHaveProperty("forwarded");
    const junk = await upstreamSees(["X-Forwarded-For: 1.1.1.1, junk"]);
    expect(junk["x-forwarded-for"]).toBe("127.0.0.1");
  });

  test("IPv6 clients are as wide as the settings say", async () => {
    const line = ["X-Forwarded-For: 2001:db8:7:1f0::9"];
    for (const [ipv6PrefixLength, client] of [
      [56, "ip:2001:db8:7:100::/56"],
      [48, "ip:2001:db8:7::/48"],
      [128, "ip:2001:db8:7:1f0::9"],
    ] as const) {
      await publish([byClient], { ipv6PrefixLength });
      expect(await clientOf(line)).toBe(client);
    }
  });
});

describe("Forwarded (RFC 7239), where the settings name it", () => {
  const settings = { identity: { addressHeader: "forwarded" } };

  test("is read in every form, several lines as one list", async () => {
    await publish([byClient], settings);
    const forms: [string[], string][] = [
      [["for=203.0.113.7"], "ip:203.0.113.7"],
      [["For=203.0.113.7;proto=https;by=10.0.0.1"], "ip:203.0.113.7"],
      [['for="203.0.113.7:4711"'], "ip:203.0.113.7"],
      [['for="[2001:db8::1]:443"'], "ip:2001:db8::/64"],
      [['for="[2001:db8::2]"'], "ip:2001:db8::/64"],
      [["for=1.1.1.1, for=203.0.113.7"], "ip:203.0.113.7"],
      [["for=1.1.1.1", "for=203.0.113.7, for=127.0.0.9"], "ip:203.0.113.7"],
      [['for="1.1.1.1', "for=203.0.113.7"], "ip:203.0.113.7"],
      [['for=1.1.1.1;by=", for=203.0.113.7'], "ip:203.0.113.7"],
    ];
    for (const [values, client] of forms) {
      const lines = values.map((value) => `Forwarded: ${value}`);
      expect([values, await clientOf(lines)]).toEqual([values, client]);
    }
  });

  test("malformed or hidden, the peer is the client, and it is counted", async () => {
    await publish([byClient], settings);
    const before = await metric(trusting, "headgate_forwarded_for_junk_total");
    const junk = [
      "for=unknown",
      'for="_gazonk"',
      "for=_hidden",
      "for",
      "for=;proto=http",
      "proto=https",
      "for=1.1.1.1;for=2.2.2.2",
      'for="1.1.1.1',
      "203.0.113.7",
      "for = 203.0.113.7",
    ];
    for (const value of junk)
      expect([value, await clientOf([`Forwarded: ${value}`])]).toEqual([value, PEER]);
    const after = await metric(trusting, "headgate_forwarded_for_junk_total");
    expect(after - before).toBe(junk.length);
  });

  test("of it and X-Forwarded-For only the one that is set is read, whoever sent the other", async () => {
    const both = ["Forwarded: for=203.0.113.1", "X-Forwarded-For: 203.0.113.2"];
    await publish([byClient], settings);
    expect(await clientOf(both)).toBe("ip:203.0.113.1");
    expect(await clientOf(both.slice(1))).toBe(PEER);
    expect(await clientOf(both, wary)).toBe(PEER);
    await publish([byClient]);
    expect(await clientOf(both)).toBe("ip:203.0.113.2");
    expect(await clientOf(both.slice(0, 1))).toBe(PEER);
  });

  test("the upstream sees the judged client in both, and how it asked", async () => {
    await publish([byClient], settings);
    expect(
      await upstreamSees([
        'Forwarded: for="1.1.1.1, for="[2001:db8::1]:443";proto=https;host=shop.example',
        "X-Forwarded-For: 9.9.9.9",
        "X-Forwarded-Proto: gopher",
        "X-Forwarded-Host: evil.example",
      ]),
    ).toMatchObject({
      forwarded:
        'for="[2001:db8::1]:443";proto=https;host=shop.example, for=127.0.0.1;host="api.example";proto=http',
      "x-forwarded-for": "2001:db8::1, 127.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "shop.example",
    });
    expect(
      await upstreamSees(["Forwarded: for=9.9.9.9", "X-Forwarded-For: 9.9.9.9"], wary),
    ).toMatchObject({
      forwarded: 'for=127.0.0.1;host="api.example";proto=http',
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "api.example",
    });
  });
});

describe("C4: the key", () => {
  test("is K1's in every spelling of the scheme, and nobody's in another case", async () => {
    await publish([byClient]);
    for (const value of [`bearer ${K1}`, `BEARER  ${K1}`, `Bearer ${K1} \t`, `bEaReR\t${K1}`])
      expect([value, await clientOf([`Authorization: ${value}`])]).toEqual([value, "key:k1"]);
    for (const value of [`Bearer ${K1.toUpperCase()}`, "Bearer", "Bearer ", `Basic ${K1}`, K1])
      expect([value, await clientOf([`Authorization: ${value}`])]).toEqual([value, PEER]);
    expect(await clientOf(["Authorization: Bearer x", `X-API-KEY: ${K1}`])).toBe("key:k1");
  });

  test("100 requests of K1, each with another X-Api-Key, neither leave its bucket nor make one", async () => {
    await publish([
      tokenBucketRule({
        id: "by-key",
        countBy: ["client"],
        limit: { default: { rate: 40, per: "1h", burst: 40 }, anonymous: plenty },
      }),
    ]);
    await forget();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        sendRaw(trusting.port, [`Authorization: Bearer ${K1}`, `X-Api-Key: random-${i}`]),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    expect(await principals()).toEqual(["key:k1"]);
  });

  test("in two lines is nobody's, and of two Authorization lines the first counts and goes on", async () => {
    await publish([byClient]);
    expect(await clientOf([`X-Api-Key: ${K1}`, "X-Api-Key: x"])).toBe(PEER);
    const lines = [`Authorization: Bearer ${K1}`, `Authorization: Bearer ${K2}`];
    expect(await clientOf(lines)).toBe("key:k1");
    expect((await upstreamSees(lines)).authorization).toBe(`Bearer ${K1}`);
    expect(await clientOf([...lines].reverse())).toBe("key:k2");
  });

  test.each(["", " ", "\t", "\xff\xfe", "x".repeat(8_192), "__proto__", "constructor"])(
    "%j is nobody's",
    async (key) => {
      await publish([byClient]);
      expect(await clientOf([`X-Api-Key: ${key}`])).toBe(PEER);
      expect(await clientOf([`Authorization: Bearer ${key}`])).toBe(PEER);
    },
  );

  test("is read from the headers that the settings name, in their order", async () => {
    await publish([byClient], { identity: { keyHeaders: ["X-App-Key", "Authorization"] } });
    expect(await clientOf([`x-app-key: ${K1}`, `Authorization: Bearer ${K2}`])).toBe("key:k1");
    expect(await clientOf(["x-app-key: x", `Authorization: Bearer ${K2}`])).toBe("key:k2");
    expect(await clientOf([`X-Api-Key: ${K1}`])).toBe(PEER);
  });

  test("that starts as another one does is another client", async () => {
    await publish([byClient]);
    expect(await clientOf([`X-Api-Key: ${K2}`])).toBe("key:k2");
  });
});

describe("C6: odd values and names", () => {
  const tenants = tokenBucketRule({
    id: "tenants",
    countBy: ["header:x-tenant", "header:x-user"],
    limit: { default: { rate: 1, per: "1h", burst: 1 } },
  });
  const ask = (tenant: string, user: string) =>
    sendRaw(trusting.port, [`X-Tenant: ${tenant}`, `X-User: ${user}`]);

  test("different tuples are different buckets under short keys with one pair of braces", async () => {
    await publish([tenants]);
    await forget();
    const tuples = [
      ["a:b", "c"],
      ["a", "b:c"],
      ["a|b", ""],
      ["a", "b|"],
      ["a}{b", "c"],
      ["a}", "{b"],
      ["", ""],
      ["undefined", "null"],
      ["null", "undefined"],
      ["__proto__", "constructor"],
      ["constructor", "toString"],
      ["x".repeat(8_192), "c"],
      ["x".repeat(8_191), "xc"],
    ] as const;
    for (const [tenant, user] of tuples) {
      expect([tenant, (await ask(tenant, user)).status]).toEqual([tenant, 200]);
      expect([tenant, (await ask(tenant, user)).status]).toEqual([tenant, 429]);
    }
    const all = await redis.keys(`hg:${environment}:1:*`);
    // The limiter's probe is nobody's bucket, and there for a second when Redis was slow.
    const keys = all.filter((key) => !key.includes("{_probe}"));
    expect(keys).toHaveLength(tuples.length);
    for (const key of keys) {
      expect(key.length).toBeLessThan(200);
      expect(key.match(/[{}]/g)).toEqual(["{", "}"]);
    }
  });

  test("who sends no such header is not counted there: not as the word undefined either", async () => {
    await publish([tenants]);
    await forget();
    for (const lines of [[], ["X-Tenant: a"], ["X-User: a"]])
      for (let i = 0; i < 2; i += 1) expect((await sendRaw(trusting.port, lines)).status).toBe(200);
    expect(await principals()).toEqual([]);
  });

  test("a plan called constructor, which perPlan does not name, gets default", async () => {
    await publish([
      tokenBucketRule({
        id: "per-key",
        limit: { default: { rate: 7, per: "1h", burst: 7 }, perPlan: { free: plenty } },
      }),
    ]);
    const { head } = await sendRaw(trusting.port, [`X-Api-Key: ${K2}`]);
    expect(head).toMatch(/\r\nX-RateLimit-Limit: 7\r\n/);
  });
});

describe("E5: what Connection names is gone for the gateway, too", () => {
  test("a key or an address that it names counts for nobody and goes no further", async () => {
    await publish([byClient]);
    const lines = [
      "Connection: close, X-Forwarded-For, X-Api-Key, Retry-After",
      `X-Api-Key: ${K1}`,
      "X-Forwarded-For: 203.0.113.7",
      "Keep-Alive: timeout=5",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
      "TE: gzip",
    ];
    expect(await clientOf(lines)).toBe(PEER);
    const seen = await upstreamSees(lines);
    expect(seen["x-forwarded-for"]).toBe("127.0.0.1");
    for (const name of ["x-api-key", "keep-alive", "upgrade", "http2-settings", "te"])
      expect(seen).not.toHaveProperty(name);
    const { head } = await sendRaw(trusting.port, lines);
    expect(head).toMatch(/\r\nX-RateLimit-Remaining: /);
  });
});

describe("a trusted header", () => {
  const settings = { identity: { trustedHeader: "X-Consumer" } };

  test("names the client where a trusted hop sent it", async () => {
    await publish([byClient], settings);
    expect(await clientOf(["X-Consumer: key:k1"])).toBe("key:k1");
    expect(await clientOf(["X-Consumer: acme", `X-Api-Key: ${K2}`])).toBe("customer:acme");
    expect(await upstreamSees(["X-Consumer: acme"])).toMatchObject({ "x-consumer": "acme" });
  });

  test("counts as an unknown key where nobody is called that", async () => {
    await publish([byClient], settings);
    const name = 'headgate_unknown_clients_total{source="trusted-header"}';
    const before = await metric(trusting, name);
    await forget();
    for (const value of ["key:nobody", "nobody", "ip:203.0.113.7", "Acme", "acme, bolt", "\xe9"])
      expect((await sendRaw(trusting.port, [`X-Consumer: ${value}`])).status).toBe(200);
    expect(await principals()).toEqual([PEER]);
    expect((await metric(trusting, name)) - before).toBe(6);
    await publish([byClient], { ...settings, unknownKey: "reject" });
    expect((await sendRaw(trusting.port, ["X-Consumer: nobody"])).status).toBe(401);
  });

  test("of anybody else is not believed, nor passed on in any spelling, and is counted", async () => {
    await publish([byClient], settings);
    const before = await metric(wary, "headgate_trusted_header_refused_total");
    const lines = ["X-Consumer: acme", "X_Consumer: acme", "x-CONSUMER: key:k1"];
    expect(await clientOf(lines, wary)).toBe(PEER);
    expect(Object.keys(await upstreamSees(lines, wary)).join()).not.toMatch(/consumer/);
    expect((await metric(wary, "headgate_trusted_header_refused_total")) - before).toBe(2);
  });

  test("which the settings do not name is a header like any other", async () => {
    await publish([byClient]);
    expect(await clientOf(["X-Consumer: acme"])).toBe(PEER);
    expect(await upstreamSees(["X-Consumer: acme"], wary)).toMatchObject({ "x-consumer": "acme" });
  });
});
