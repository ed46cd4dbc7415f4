import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createKey,
  getClient,
  getDraft,
  listAudit,
  publish,
  putDraftItem,
  resetClient,
  searchClients,
  withActor,
} from "../control";
import { startWorker } from "../ingest/start-worker";
import { ADMIN, SUPPORT, VIEWER } from "../testing/control";
import { failureOf } from "../testing/failure";
import {
  echoUpstream,
  type Listening,
  startGateway,
  type TestGateway,
  temporaryFolder,
} from "../testing/gateway";
import { startRedis, type TestRedis } from "../testing/redis";
import { ruleOf, tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld, TEST_TIMINGS } from "../testing/worker";

const SECOND = 1_000;
const HOURLY = { rate: 3, per: "1h", burst: 3 };
let server: TestRedis;
let world: ControlWorld;
let worker: ReturnType<typeof startWorker>;
let upstream: Listening;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let gateways: TestGateway[] = [];

const ctx = () => withActor(world.control, ADMIN);
const support = () => withActor(world.control, SUPPORT);

beforeAll(async () => {
  server = await startRedis();
  world = await controlWorld({ redisUrl: server.url });
  worker = startWorker(world.another(), TEST_TIMINGS);
  [upstream, folder] = await Promise.all([echoUpstream(), temporaryFolder()]);
  gateways = await Promise.all(
    ["a", "b"].map((id) =>
      startGateway({
        id: `gateway-${id}`,
        environment: world.control.environment,
        redisUrl: server.url,
        upstream: upstream.url,
        dataDir: `${folder.path}/${id}`,
        secrets: world.control.config.secrets,
      }),
    ),
  );
  const rules = [
    tokenBucketRule({ id: "hourly", match: { routes: ["/hourly"] }, limit: { default: HOURLY } }),
    tokenBucketRule({
      id: "leased",
      match: { routes: ["/leased"] },
      precision: "leased",
      limit: { default: { rate: 1, per: "1h", burst: 1_000 } },
    }),
    tokenBucketRule({
      id: "by-customer",
      countBy: ["customer"],
      match: { routes: ["/customer"] },
      limit: { default: HOURLY },
    }),
    ruleOf(
      { kind: "concurrency", default: { concurrent: 5 } },
      { id: "in-flight", match: { routes: ["/elsewhere"] } },
    ),
  ];
  for (const rule of rules) await putDraftItem(ctx(), { kind: "rule", id: rule.id, body: rule });
  const { currentVersion: baseVersion } = await getDraft(ctx());
  const { version } = await publish(ctx(), { message: "m", baseVersion, acknowledgeGaps: true });
  await waitFor(() => gateways.every((each) => each.status().rules.applied?.version === version));
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await worker.stop();
  await upstream.close();
  await world.close();
  await server.stop();
  await folder.remove();
});

async function newKey(customer: string) {
  const made = await createKey(ctx(), { plan: "free", customer });
  const client = `key:${made.id}`;
  for (const gateway of gateways)
    await waitFor(async () => {
      const answer = await ask(gateway, made.key, "/elsewhere");
      return answer.headers.get("x-ratelimit-limit") === "5";
    });
  return { ...made, client };
}

async function ask({ url }: TestGateway, key: string, path: string): Promise<Response> {
  const answer = await fetch(`${url}${path}`, { headers: { "x-api-key": key } });
  await answer.body?.cancel();
  return answer;
}

const statuses = (key: string, path: string) =>
  Promise.all(gateways.map(async (gateway) => (await ask(gateway, key, path)).status));

async function spendAll(key: string, path: string): Promise<void> {
  await waitFor(async () => (await statuses(key, path)).every((status) => status === 429));
}

test("refused at both gateways and remembered there: after a reset both allow within a second", async () => {
  const { key, client } = await newKey("acme");
  await spendAll(key, "/hourly");
  // From memory now: what Redis holds is not asked for.
  expect(await statuses(key, "/hourly")).toEqual([429, 429]);
  const before = await getClient(support(), { id: client });
  expect(before.buckets?.find(({ rule }) => rule === "hourly")).toMatchObject({
    remaining: 0,
    used: 3,
    quota: 3,
    limit: "3 per 1h",
  });
  const startMs = performance.now();
  const reset = await resetClient(support(), { id: client, rule: "hourly", reason: "ticket 7" });
  expect(reset).toEqual({ client, rules: ["hourly"], told: true });
  for (const gateway of gateways)
    await waitFor(async () => (await ask(gateway, key, "/hourly")).status === 200, {
      intervalMs: 5,
    });
  expect(performance.now() - startMs).toBeLessThan(SECOND);
  const tookMs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    // What memory knows now is fresh: without the notice it would refuse for a second more.
    await spendAll(key, "/hourly");
    const startMs = performance.now();
    await resetClient(support(), { id: client, rule: "hourly", reason: "ticket 7" });
    for (const gateway of gateways)
      await waitFor(async () => (await ask(gateway, key, "/hourly")).status === 200, {
        intervalMs: 5,
      });
    tookMs.push(performance.now() - startMs);
  }
  // The middle one: a machine that is busy with other tests may hold up any single one.
  expect(tookMs.toSorted((a, b) => a - b)[1]).toBeLessThan(SECOND / 2);
  const [row] = (await listAudit(ctx(), {})).items;
  expect(row).toMatchObject({ action: "client.reset", objectId: client, reason: "ticket 7" });
});

test("tokens that a gateway took in advance are forgotten, and the bucket is full again", async () => {
  const { key, client } = await newKey("leaser");
  const bucket = async () => {
    const { buckets } = await getClient(support(), { id: client });
    return buckets?.find(({ rule }) => rule === "leased");
  };
  const many = () => Promise.all(Array.from({ length: 60 }, () => statuses(key, "/leased")));
  await waitFor(async () => {
    await many();
    const { leased = 0, used = 0 } = (await bucket()) ?? {};
    return leased > 0 && used > 100;
  });
  await resetClient(support(), { id: client, reason: "ticket 8" });
  expect((await bucket())?.remaining).toBe(1_000);
  await waitFor(
    async () => {
      await many();
      return (await statuses(key, "/leased")).every((status) => status === 429);
    },
    { timeoutMs: 15_000 },
  );
  const startMs = performance.now();
  await resetClient(support(), { id: client, reason: "ticket 8" });
  for (const gateway of gateways)
    await waitFor(async () => (await ask(gateway, key, "/leased")).status === 200, {
      intervalMs: 5,
    });
  expect(performance.now() - startMs).toBeLessThan(SECOND);
});

test("a reset of one rule leaves the others' counters; of a key, its customer's go as well", async () => {
  const { key, client } = await newKey("shared");
  await spendAll(key, "/hourly");
  await spendAll(key, "/customer");
  await resetClient(support(), { id: client, rule: "hourly", reason: "one rule" });
  const after = await getClient(support(), { id: client });
  const remaining = (rule: string) => after.buckets?.find((b) => b.rule === rule)?.remaining;
  expect([remaining("hourly"), remaining("by-customer")]).toEqual([3, 0]);
  expect((await resetClient(support(), { id: client, reason: "all" })).rules).toEqual([
    "by-customer",
  ]);
  await waitFor(async () => (await statuses(key, "/customer")).every((is) => is === 200));
});

test("a refused request is told in one sentence, found by its id, key and customer", async () => {
  const { key, prefix, client } = await newKey("teller");
  await spendAll(key, "/hourly");
  const detail = await waitFor(async () => {
    const found = await getClient(support(), { id: client });
    return found.answer.limited ? found : null;
  });
  expect(detail.answer.sentence).toMatch(
    /^free plan, 3 per 1h per API key: .*refused at .* UTC \(GET .*\); next at \d\d:\d\d:\d\d UTC$/,
  );
  const requestId = detail.answer.requestId ?? "";
  for (const q of [requestId, prefix, "teller", client]) {
    const { items } = await searchClients(support(), { q });
    expect(items.map((item) => item.client)).toContain(client);
  }
  expect(await getClient(support(), { id: client, request: requestId })).toMatchObject({
    answer: { requestId, rule: "hourly" },
    rules: expect.arrayContaining([
      expect.objectContaining({ rule: "hourly", applies: "some", since: expect.anything() }),
    ]),
  });
});

test("what cannot be reset is refused with the reason, and so is who may not", async () => {
  const { client } = await newKey("refused");
  const reason = "try";
  const inFlight = resetClient(support(), { id: client, rule: "in-flight", reason });
  expect((await failureOf(inFlight, "invalid")).message).toContain("in flight");
  await failureOf(resetClient(support(), { id: client, rule: "nothing", reason }), "not_found");
  const viewer = withActor(world.control, VIEWER);
  await failureOf(resetClient(viewer, { id: client, reason }), "forbidden");
  await failureOf(resetClient(support(), { id: client, reason: "" }), "invalid");
});

test("while the counters' Redis is away that is said: no bucket reads as full, nothing is reset", async () => {
  const { client } = await newKey("away");
  await server.stop();
  const detail = await getClient(support(), { id: client });
  expect(detail).toMatchObject({
    buckets: null,
    bucketsProblem: expect.stringContaining("does not answer"),
  });
  await failureOf(resetClient(support(), { id: client, reason: "r" }), "unavailable");
  expect((await listAudit(ctx(), {})).items.some(({ objectId }) => objectId === client)).toBe(
    false,
  );
});
