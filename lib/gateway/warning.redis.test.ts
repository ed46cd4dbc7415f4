import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Rule } from "../core/rule";
import {
  directoryOf,
  type Listening,
  listenHttp,
  publishDirectory,
  publishRules,
  randomEnvironment,
  startGateway,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { seeded } from "../testing/random";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { waitFor } from "../testing/wait-for";

const KEYS = {
  "hg-key-one": { id: "k1", customer: "acme", plan: "free" },
  "hg-key-two": { id: "k2", customer: "bolt", plan: "paid" },
};
const WARNING = "x-ratelimit-warning";
const EXPOSED = "access-control-expose-headers";
let redis: Redis;
let upstream: Listening;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  redis = new Redis(sharedRedisUrl());
  upstream = await limitingUpstream();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await upstream.close();
  redis.disconnect();
});

/** Has limits of its own on some paths, and refuses on one. */
function limitingUpstream(): Promise<Listening> {
  return listenHttp((request, response) => {
    const path = request.url ?? "";
    response.setHeader("Vary", "Accept");
    if (path !== "/v1/plain") {
      response.setHeader("X-RateLimit-Limit", "7");
      response.setHeader("RateLimit", '"theirs";r=1;t=2');
      response.setHeader("Access-Control-Expose-Headers", "ETag, X-RateLimit-Limit");
    }
    response.statusCode = path === "/v1/refused" ? 429 : 200;
    response.end(`answer of ${path}`);
  });
}

const limit = (burst: number) => ({ limit: { default: { rate: 1, per: "1h", burst } } });
const enforced = tokenBucketRule({ id: "enforced", match: { plans: ["paid"] }, ...limit(6) });
const watched = tokenBucketRule({ id: "watched", mode: "shadow", ...limit(1) });
const near = tokenBucketRule({ id: "near", mode: "shadow", ...limit(2) });
const byAddress = tokenBucketRule({ id: "by-ip", mode: "shadow", countBy: ["ip"], ...limit(3) });
const warning = (rule: Rule): Rule => ({ ...rule, warn: true });

/** A fleet of one with these rules and counters of its own. */
async function gatewayWith(rules: Rule[], settings: object = {}): Promise<TestGateway> {
  const environment = randomEnvironment();
  const folder = await temporaryFolder();
  const body = bodyOf(rules);
  await publishDirectory(redis, directoryOf(environment, KEYS));
  await publishRules(redis, {
    environment,
    version: 1,
    body: { ...body, settings: { ...body.settings, ...settings } },
  });
  const gateway = await startGateway({
    environment,
    redisUrl: sharedRedisUrl(),
    upstream: upstream.url,
    dataDir: folder.path,
  });
  closing.push(folder.remove, gateway.close);
  await waitFor(
    () => gateway.status().rules.applied !== null && gateway.status().directory.complete,
  );
  return gateway;
}

type Sent = { path: string; key: string | undefined };

async function send({ url }: TestGateway, { path, key }: Sent) {
  const answer = await fetch(`${url}${path}`, {
    headers: {
      origin: "https://a.example",
      "x-request-id": "same",
      ...(key === undefined ? {} : { "x-api-key": key }),
    },
  });
  const fields = new Map(answer.headers);
  fields.delete("date");
  return { status: answer.status, fields, body: await answer.text() };
}

type Answer = Awaited<ReturnType<typeof send>>;

/** Waits differ by the moment between two requests. */
function comparable({ status, fields, body }: Answer) {
  const still = (value: string) => value.replace(/\d+(?=$|"|,|})/g, "n");
  const waits = ["ratelimit", "x-ratelimit-reset", "retry-after"];
  const kept = [...fields].map(([name, value]) => [
    name,
    waits.includes(name) ? still(value) : value,
  ]);
  return { status, fields: kept, body: body.replace(/"retryAfter":\d+/, '"retryAfter":"n"') };
}

/** The answer as it would be without the warning: that field, and its name among those that scripts may read. */
function withoutWarning(answer: Answer): Answer {
  const fields = new Map(answer.fields);
  if (!fields.delete(WARNING)) return answer;
  const exposed = (fields.get(EXPOSED) ?? "").split(", ");
  const others = exposed.filter((name) => name.toLowerCase() !== WARNING);
  expect(others).toHaveLength(exposed.length - 1);
  if (others.length === 0) fields.delete(EXPOSED);
  else fields.set(EXPOSED, others.join(", "));
  return { ...answer, fields };
}

test("the answer of a rule that warns differs from plain shadow by its header alone, over any history", async () => {
  const plain = await gatewayWith([enforced, watched, near, byAddress]);
  const warns = await gatewayWith([enforced, watched, near, byAddress].map(orWarning));
  const paths = ["/v1/plain", "/v1/limited", "/v1/refused"];
  const keys = ["hg-key-one", "hg-key-two", undefined];
  const all = paths.flatMap((path) => keys.map((key): Sent => ({ path, key })));
  const random = seeded(9);
  const history = Array.from({ length: 6 }, () => all)
    .flat()
    .map((sent) => ({ sent, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ sent }) => sent);
  const seen = new Set<string>();
  for (const sent of history) {
    const [without, withIt] = [await send(plain, sent), await send(warns, sent)];
    expect(without.fields.has(WARNING)).toBe(false);
    expect(comparable(withoutWarning(withIt))).toEqual(comparable(without));
    const value = withIt.fields.get(WARNING);
    seen.add(`${sent.path} ${withIt.status} ${value === undefined ? "-" : "warned"}`);
    // A refusal is an answer of another rule's: it says nothing of what might come.
    if (withIt.body.includes("violated-policies")) expect(value).toBeUndefined();
    for (const member of value?.split(", ") ?? [])
      expect(member).toMatch(/^"(watched|near|by-ip)";would-reject;t=[1-9]\d{0,3}$/);
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "/v1/limited 200 warned",
      "/v1/plain 200 warned",
      "/v1/refused 429 warned",
      "/v1/plain 429 -",
    ]),
  );
});

function orWarning(rule: Rule): Rule {
  return rule.mode === "shadow" ? warning(rule) : rule;
}

test("a warning is exposed where limits are, and leaves what the upstream says of its own", async () => {
  const warns = await gatewayWith([warning(watched)]);
  const sent = { path: "/v1/limited", key: "hg-key-one" };
  expect((await send(warns, sent)).fields.get(WARNING)).toBeUndefined();
  const { status, fields } = await send(warns, sent);
  expect(status).toBe(200);
  expect(fields.get(WARNING)).toMatch(/^"watched";would-reject;t=3(599|600)$/);
  expect(fields.get("x-ratelimit-limit")).toBe("7");
  expect(fields.get("ratelimit")).toBe('"theirs";r=1;t=2');
  expect(fields.get(EXPOSED)).toBe("ETag, X-RateLimit-Limit, X-RateLimit-Warning");

  const { settings } = bodyOf([]);
  const hidden = await gatewayWith([warning(watched)], {
    headers: { ...settings.headers, expose: false },
  });
  await send(hidden, sent);
  const quiet = await send(hidden, sent);
  expect(quiet.fields.get(WARNING)).toBeDefined();
  expect(quiet.fields.get(EXPOSED)).toBe("ETag, X-RateLimit-Limit");
});
