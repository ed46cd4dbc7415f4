import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  acknowledgeAlert,
  createWebhook,
  listWebhooks,
  redeliverWebhook,
  reportGateway,
  rotateWebhookSecret,
  testWebhook,
  withActor,
} from "@/lib/control";
import { raiseAlert } from "@/lib/control/raise-alert";
import { resolveAlert } from "@/lib/control/resolve-alert";
import { ADMIN } from "@/lib/testing/control";
import { startRedis, type TestRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { type ControlWorld, controlWorld, heartbeat } from "@/lib/testing/worker";
import { createDeliverer, runDeliverWebhooks } from "./deliver-webhooks";
import type { WorkerCtx } from "./worker-context";

type Received = { headers: Record<string, string>; body: string };
type Receiver = {
  url: string;
  received: Received[];
  /** Statuses of the next answers; then 200. `hang` never answers. */
  answers: (number | "hang")[];
  headers: Record<string, string>;
};

let world: ControlWorld;
let redis: TestRedis;
let worker: WorkerCtx;
const servers: Server[] = [];

beforeAll(async () => {
  redis = await startRedis();
  world = await controlWorld({ redisUrl: redis.url });
  worker = await openOne();
});
afterEach(async () => {
  await world.control.db.webhookChannel.deleteMany();
  await world.control.db.alert.deleteMany();
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await world.close();
  await redis.stop();
});

async function openOne(): Promise<WorkerCtx> {
  const opened = await world.openWorker();
  return { ...opened, config: { ...opened.config, webhookAllowPrivate: true } };
}

const admin = () => ({ ...withActor(world.control, ADMIN), config: worker.config });
const gateway = () =>
  withActor(world.control, { type: "token", id: "gw", name: "gateways", scopes: ["gateway"] });

async function receiver(): Promise<Receiver> {
  const made: Receiver = { url: "", received: [], answers: [], headers: {} };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    made.received.push({ headers: request.headers as Record<string, string>, body });
    const answer = made.answers.shift() ?? 200;
    if (answer === "hang") return;
    response.writeHead(answer, made.headers).end(`answer ${answer}`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return made;
}

async function channelTo({ url }: Receiver, more: object = {}) {
  return createWebhook(admin(), { name: "pager", url, ...more });
}

/** As though the wait were over. */
async function due(): Promise<void> {
  await // The column rounds to ms: now itself may be half a millisecond ahead.
  world.control.db
    .$executeRaw`UPDATE webhook_delivery SET next_at = now() - interval '1 second' WHERE state = 'waiting'`;
}

async function deliverAll(ctx = worker): Promise<void> {
  const deliverer = createDeliverer(ctx);
  for (;;) {
    const started = await deliverer.pass();
    await deliverer.settled();
    if (started === 0) return;
  }
}

async function deliveries() {
  const { items } = await listWebhooks(admin());
  return items.flatMap((channel) => channel.deliveries).reverse();
}

const REDIS_DOWN = {
  kind: "redis-down",
  subject: "redis",
  message: "No Redis <!channel>",
} as const;

test("raised, acknowledged and resolved arrive in this order, each signed over the bytes that were sent", async () => {
  const to = await receiver();
  const { secret } = await channelTo(to);
  const atMs = Date.now();
  await raiseAlert(world.control.db, { ...REDIS_DOWN, atMs });
  const { id } = await world.control.db.alert.findFirstOrThrow();
  await acknowledgeAlert(admin(), { id });
  await resolveAlert(world.control.db, { kinds: ["redis-down"], subject: "redis", atMs: atMs + 5 });
  await due();
  await deliverAll();
  expect(to.received.map(({ body }) => JSON.parse(body).type)).toEqual([
    "alert.raised",
    "alert.acknowledged",
    "alert.resolved",
  ]);
  for (const { headers, body } of to.received) {
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
  }
  expect(JSON.parse(to.received[1]?.body ?? "").data).toMatchObject({
    ...REDIS_DOWN,
    severity: "critical",
    acknowledgedBy: ADMIN.name,
    resolvedAt: null,
  });
});

test("a receiver that is down and comes up gets it once, with the id of the first attempt and a signature of the last", async () => {
  const to = await receiver();
  const { secret } = await channelTo(to);
  to.answers = [500, 302, 503];
  to.headers = { location: to.url };
  await raiseAlert(world.control.db, { ...REDIS_DOWN, atMs: Date.now() });
  for (let tries = 0; tries < 6; tries += 1) {
    await deliverAll();
    await due();
  }
  expect(to.received).toHaveLength(4);
  expect(new Set(to.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const { headers, body } of to.received) new Webhook(secret).verify(body, headers);
  const [only, ...others] = await deliveries();
  expect(others).toEqual([]);
  expect(only).toMatchObject({ state: "delivered", attempts: 4, lastStatus: 200 });
});

test("the wait before the next attempt is at least five seconds, less a fifth, and as long as the receiver asks", async () => {
  const to = await receiver();
  await channelTo(to);
  to.answers = [500, 429];
  await raiseAlert(world.control.db, { ...REDIS_DOWN, atMs: Date.now() });
  const waitMs = async () => {
    await deliverAll();
    const [one] = await deliveries();
    expect(one).toMatchObject({ state: "waiting", lastAnswer: expect.stringContaining("answer") });
    return Date.parse(one?.nextAt ?? "") - Date.parse(one?.lastAt ?? "");
  };
  expect(await waitMs()).toBeGreaterThanOrEqual(4_000);
  to.headers = { "retry-after": "9999999999" };
  await due();
  expect(await waitMs()).toBe(3_600_000);
});

test("two workers at once do not deliver twice", async () => {
  const to = await receiver();
  await channelTo(to);
  const other = await openOne();
  for (let i = 0; i < 30; i += 1) {
    const alert = { kind: "gateway-silent", subject: `gw-${i}`, message: `Silent ${i}` } as const;
    await raiseAlert(world.control.db, { ...alert, atMs: Date.now() });
  }
  await Promise.all([deliverAll(), deliverAll(other), deliverAll(), deliverAll(other)]);
  const ids = to.received.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(30);
  expect(new Set(ids).size).toBe(30);
});

test("a receiver that hangs keeps no other waiting", async () => {
  const [slow, quick] = [await receiver(), await receiver()];
  await channelTo(slow);
  slow.answers = Array.from({ length: 40 }, () => "hang" as const);
  for (let i = 0; i < 20; i += 1) {
    const alert = { kind: "gateway-silent", subject: `gw-${i}`, message: `Silent ${i}` } as const;
    await raiseAlert(world.control.db, { ...alert, atMs: Date.now() });
  }
  await channelTo(quick);
  const stopping = new AbortController();
  const running = runDeliverWebhooks(worker, stopping.signal);
  await waitFor(() => slow.received.length > 0);
  await raiseAlert(world.control.db, { ...REDIS_DOWN, atMs: Date.now() });
  await waitFor(() => quick.received.length === 1, { timeoutMs: 8_000 });
  stopping.abort();
  await running;
});

test("although Redis is down, a gateway's word over HTTP gets to the receiver", async () => {
  const to = await receiver();
  await channelTo(to);
  redis.kill("SIGSTOP");
  const stopping = new AbortController();
  const running = runDeliverWebhooks(worker, stopping.signal);
  try {
    const { environment } = world.control;
    await reportGateway(gateway(), {
      id: "gw-1",
      heartbeat: heartbeat({ environment, mode: "local", error: "Redis does not answer" }),
      alerts: [],
      batches: [],
    });
    await waitFor(() => to.received.length === 1);
  } finally {
    stopping.abort();
    await running;
    redis.kill("SIGCONT");
  }
  expect(JSON.parse(to.received[0]?.body ?? "").data).toMatchObject({
    kind: "gateway-degraded",
    subject: "gw-1",
    severity: "critical",
  });
});

test("after a rotation both secrets verify for a day, then the new one only", async () => {
  const to = await receiver();
  const { id, secret } = await channelTo(to);
  const rotated = await rotateWebhookSecret(admin(), { id });
  await testWebhook(admin(), { id });
  await world.control.db.webhookChannel.update({
    where: { id },
    data: { earlierUntil: new Date(Date.now() - 1) },
  });
  await testWebhook(admin(), { id });
  const verified = to.received.map(({ headers, body }) =>
    [secret, rotated.secret].map((each) => {
      try {
        new Webhook(each).verify(body, headers);
        return true;
      } catch {
        return false;
      }
    }),
  );
  expect(verified).toEqual([
    [true, true],
    [false, true],
  ]);
});

test("a test says what was answered and is not tried again; 410 switches the channel off", async () => {
  const to = await receiver();
  const { id } = await channelTo(to, { format: "slack" });
  expect(await testWebhook(admin(), { id })).toMatchObject({
    state: "delivered",
    lastStatus: 200,
    lastAnswer: "answer 200",
  });
  expect(JSON.parse(to.received[0]?.body ?? "")).toEqual({
    text: expect.stringContaining("tests the channel pager"),
  });
  to.answers = [410];
  await raiseAlert(world.control.db, { ...REDIS_DOWN, atMs: Date.now() });
  await deliverAll();
  expect(to.received[1]?.body).toContain("&lt;!channel&gt;");
  const { items } = await listWebhooks(admin());
  expect(items[0]).toMatchObject({ enabled: false, offWhy: "its receiver answered 410 Gone" });
});

test("what was given up or delivered is sent again under its id when asked", async () => {
  const to = await receiver();
  const { id } = await channelTo(to);
  to.answers = [500];
  const { id: delivery, state } = await testWebhook(admin(), { id });
  expect(state).toBe("failed");
  expect(await redeliverWebhook(admin(), { id, delivery })).toMatchObject({ state: "waiting" });
  await deliverAll();
  expect(to.received.map(({ headers }) => headers["webhook-id"])).toEqual([delivery, delivery]);
  expect((await deliveries())[0]?.state).toBe("delivered");
});
