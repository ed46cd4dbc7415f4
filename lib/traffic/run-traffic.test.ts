import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ManualClock, SystemClock } from "../clock";
import { createLog } from "../log";
import { waitFor } from "../testing/wait-for";
import type { Actor } from "./actors";
import { createGatewayChoice } from "./gateway-choice";
import { runTraffic } from "./run-traffic";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function gateway(
  answer: () => number,
): Promise<{ url: URL; seen: Record<string, unknown>[] }> {
  const seen: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const { "x-api-key": key, "x-forwarded-for": address } = request.headers;
    seen.push({ method: request.method, path: request.url, key, address });
    response.writeHead(answer(), { "retry-after": "60" }).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), seen };
}

function actor(given: Partial<Actor>): Actor {
  return {
    name: "a",
    address: "198.51.100.1",
    key: "k",
    userAgent: "test",
    isPolite: true,
    next: () => ({ waitMs: 1, request: { method: "POST", path: "/v1/links", body: { a: 1 } } }),
    ...given,
  };
}

function start(gateways: URL[], actors: Actor[]) {
  const stop = new AbortController();
  const running = runTraffic({
    gateways,
    actors,
    clock: new SystemClock(),
    log: createLog({ name: "test", level: "silent" }),
    random: () => 0.5,
    signal: stop.signal,
  });
  return { stop: () => stop.abort(), running };
}

test("requests go through all gateways in turn, with key and address, and stop at once", async () => {
  const fakes = [await gateway(() => 200), await gateway(() => 200)];
  const { stop, running } = start(
    fakes.map(({ url }) => url),
    [actor({}), actor({ key: null })],
  );
  await waitFor(() => fakes.every(({ seen }) => seen.length > 4));
  stop();
  await running;
  const seen = fakes.flatMap((fake) => fake.seen);
  expect(seen).toContainEqual({
    method: "POST",
    path: "/v1/links",
    key: "k",
    address: "198.51.100.1",
  });
  expect(seen).toContainEqual(expect.objectContaining({ key: undefined }));
});

test("a polite client waits as a 429 asks, a script does not", async () => {
  const fake = await gateway(() => 429);
  const { stop, running } = start(
    [fake.url],
    [actor({ key: "polite" }), actor({ key: "script", isPolite: false })],
  );
  await waitFor(() => fake.seen.filter(({ key }) => key === "script").length > 20);
  expect(fake.seen.filter(({ key }) => key === "polite")).toHaveLength(1);
  stop();
  await running;
});

test("a gateway that does not answer rests, longer each time, and the others go on", async () => {
  const a = new URL("http://a.test");
  const b = new URL("http://b.test");
  const clock = new ManualClock();
  const choice = createGatewayChoice([a, b]);
  expect(choice.failed(a, clock.monotonicMs())).toBe(true);
  expect(choice.choose(clock.monotonicMs())).toEqual({ gateway: b });
  expect(choice.choose(clock.monotonicMs())).toEqual({ gateway: b });
  expect(choice.failed(b, clock.monotonicMs())).toBe(true);
  expect(choice.choose(clock.monotonicMs())).toEqual({ waitMs: 1_000 });
  clock.advance(1_000);
  expect(choice.choose(clock.monotonicMs())).toEqual({ gateway: a });
  expect(choice.failed(a, clock.monotonicMs())).toBe(false);
  expect(choice.answered(b)).toBe(true);
  clock.advance(1_999);
  expect(choice.choose(clock.monotonicMs())).toEqual({ gateway: b });
  clock.advance(1);
  expect([choice.choose(clock.monotonicMs()), choice.choose(clock.monotonicMs())]).toContainEqual({
    gateway: a,
  });
});
