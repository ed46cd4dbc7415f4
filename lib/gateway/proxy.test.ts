import { createServer, get, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import type { HeaderField } from "../core/headers";
import { listenHttp } from "../testing/gateway";
import { waitFor } from "../testing/wait-for";
import { createClientAddress } from "./client-address";
import { addForwarded } from "./forwarded";
import { removeHopByHop } from "./hop-by-hop";
import {
  createProxy,
  type ProxyFailure,
  targetOf,
  UPSTREAM_TIMEOUTS,
  type UpstreamTimeouts,
} from "./proxy";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const OURS: HeaderField[] = [
  ["X-RateLimit-Limit", "60"],
  ["X-RateLimit-Remaining", "59"],
  ["X-RateLimit-Reset", "0"],
  ["RateLimit", '"per-key";r=59;t=0'],
  ["RateLimit-Policy", '"per-key";q=60;w=60'],
  ["Access-Control-Expose-Headers", "X-RateLimit-Limit, RateLimit"],
];

type Options = { fields?: HeaderField[]; timeouts?: Partial<UpstreamTimeouts> };

const readAddress = createClientAddress({ kind: "none" });

/** A server that only proxies: what the gateway does around the limits. */
async function startProxy(upstream: string, { fields = [], timeouts = {} }: Options = {}) {
  const failures: ProxyFailure[] = [];
  const proxy = createProxy(upstream, { ...UPSTREAM_TIMEOUTS, ...timeouts });
  const server = createServer((request, response) => {
    removeHopByHop(request.headers);
    const from = readAddress(request, "x-forwarded-for");
    addForwarded(request, { from, addressHeader: "x-forwarded-for", requestId: "r1" });
    const all: HeaderField[] = [...fields, ["X-Request-Id", "r1"]];
    const ownsLimits = fields.length > 0;
    const onFailure = (failure: ProxyFailure) => {
      failures.push(failure);
      response.writeHead(failure.status).end(failure.detail);
    };
    proxy.forward({ request, response, fields: all, ownsLimits, onFailure });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  closing.push(() => {
    proxy.close();
    server.closeAllConnections();
    server.close();
  });
  return { port, url: `http://127.0.0.1:${port}`, failures };
}

async function upstreamOf(handler: Parameters<typeof listenHttp>[0]) {
  const upstream = await listenHttp(handler);
  closing.push(upstream.close);
  return upstream;
}

/** Answers raw bytes to whatever comes, and tells what came. */
async function rawUpstream(answer: string) {
  const received: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on("data", (chunk) => {
      received.push(chunk.toString("latin1"));
      socket.write(answer);
    });
    socket.on("error", () => {});
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Bytes over a socket, as no HTTP library would send them. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.write(bytes);
  const answer = await text(socket);
  return answer;
}

describe("E5: fields for one hop", () => {
  const seen: IncomingHttpHeaders[] = [];
  const echo = () =>
    upstreamOf((request, response) => {
      seen.push(request.headers);
      response.end("ok");
    });

  test("hop-by-hop and nominated fields end here, ours are added after that", async () => {
    const { port } = await startProxy((await echo()).url);
    await raw(
      port,
      [
        "GET /v1/messages HTTP/1.1",
        "Host: api.example",
        "Connection: close, X-Forwarded-For, X-Api-Key, Retry-After",
        "Keep-Alive: timeout=5",
        "Proxy-Connection: keep-alive",
        "Proxy-Authorization: Basic x",
        "TE: gzip",
        "Trailer: X-Sum",
        "X-Api-Key: K1",
        "X-Forwarded-For: 203.0.113.7",
        "X-Custom: stays",
        "",
        "",
      ].join("\r\n"),
    );
    const headers = seen.at(-1) ?? {};
    for (const name of ["keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer"])
      expect(headers).not.toHaveProperty(name);
    expect(headers).not.toHaveProperty("x-api-key");
    expect(headers).toMatchObject({
      "x-custom": "stays",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "api.example",
      "x-request-id": "r1",
    });
  });

  test("an h2c upgrade is answered as a plain request", async () => {
    const { port } = await startProxy((await echo()).url);
    const answer = await raw(
      port,
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen.at(-1)).not.toHaveProperty("upgrade");
    expect(seen.at(-1)).not.toHaveProperty("http2-settings");
  });

  test("naming the framing in Connection does not unframe the body", async () => {
    const bodies: string[] = [];
    const upstream = await upstreamOf(async (request, response) => {
      bodies.push(await text(request));
      response.end("ok");
    });
    const { port } = await startProxy(upstream.url);
    await raw(
      port,
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: close, Content-Length\r\nContent-Length: 5\r\n\r\nhello",
    );
    expect(bodies).toEqual(["hello"]);
  });

  test("what the upstream nominates goes no further, ours with that name survives", async () => {
    const { url } = await rawUpstream(
      "HTTP/1.1 200 OK\r\nConnection: X-RateLimit-Remaining, X-Hop\r\nX-RateLimit-Remaining: 1\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nX-End: 1\r\nContent-Length: 2\r\n\r\nok",
    );
    const { url: proxied } = await startProxy(url, { fields: OURS });
    const answer = await fetch(proxied);
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("59");
    expect(answer.headers.has("x-hop")).toBe(false);
    expect(answer.headers.get("x-end")).toBe("1");
    expect(answer.headers.get("keep-alive")).not.toBe("timeout=9");
  });
});

describe("E6: an upstream that limits, too", () => {
  const limiting = (status: number) =>
    upstreamOf((_, response) => {
      response.writeHead(status, {
        "X-RateLimit-Limit": "5",
        "RateLimit-Policy": '"theirs";q=5;w=60',
        "Retry-After": "120",
        "Access-Control-Expose-Headers": "X-Theirs, ratelimit",
      });
      response.end();
    });
  const raws = async (url: string) => {
    const answer = await fetch(url);
    return Object.fromEntries(answer.headers);
  };

  test("where an enforced rule matched, there is one of each, ours", async () => {
    const { url } = await startProxy((await limiting(200)).url, { fields: OURS });
    expect(await raws(url)).toMatchObject({
      "x-ratelimit-limit": "60",
      "ratelimit-policy": '"per-key";q=60;w=60',
      "retry-after": "120",
      "access-control-expose-headers": "X-Theirs, ratelimit, X-RateLimit-Limit",
    });
  });

  test("where none did, theirs pass", async () => {
    const { url } = await startProxy((await limiting(200)).url);
    const headers = await raws(url);
    expect(headers).toMatchObject({ "x-ratelimit-limit": "5", "retry-after": "120" });
    expect(headers).not.toHaveProperty("ratelimit");
  });

  test("their own 429 keeps its status, its wait and what it says of itself", async () => {
    const { url } = await startProxy((await limiting(429)).url, { fields: OURS });
    const answer = await fetch(url);
    expect(answer.status).toBe(429);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({ "x-ratelimit-limit": "5", "retry-after": "120" });
    expect(headers).not.toHaveProperty("x-ratelimit-remaining");
    expect(headers["x-request-id"]).toBe("r1");
  });

  test("several cookies stay several", async () => {
    const upstream = await upstreamOf((_, response) => {
      response.setHeader("Set-Cookie", ["a=1", "b=2"]).end();
    });
    const { url } = await startProxy(upstream.url);
    expect((await fetch(url)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });
});

describe("streams", () => {
  test("an event stream's head and each event arrive as they come", async () => {
    let send = (_: string) => {};
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
      send = (event) => void response.write(event);
    });
    const { url } = await startProxy(upstream.url);
    const answer = await fetch(url, { headers: { "accept-encoding": "gzip" } });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const reader = answer.body?.getReader();
    for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
      send(event);
      const { value } = (await reader?.read()) ?? {};
      expect(Buffer.from(value ?? []).toString()).toBe(event);
    }
    await reader?.cancel();
  });

  test("a client that hangs up is seen by the upstream", async () => {
    let isGone = false;
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200).write("first");
      response.on("close", () => {
        isGone = true;
      });
    });
    const { url, failures } = await startProxy(upstream.url);
    const abort = new AbortController();
    const answer = await fetch(url, { signal: abort.signal });
    await answer.body?.getReader().read();
    abort.abort();
    await waitFor(() => isGone, { timeoutMs: 2_000 });
    expect(failures).toEqual([]);
  });

  test("an upstream that breaks off in the middle breaks off for the client", async () => {
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { "Content-Length": "100" }).write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const { url } = await startProxy(upstream.url);
    const answer = await fetch(url);
    await expect(answer.text()).rejects.toThrow();
  });

  test("20 MB pass each way, whole", async () => {
    const size = 20 * 1024 * 1024;
    const upstream = await upstreamOf((request, response) => {
      response.writeHead(200, { "Content-Length": request.headers["content-length"] });
      request.pipe(response);
    });
    const { url } = await startProxy(upstream.url);
    const answer = await fetch(url, { method: "POST", body: Buffer.alloc(size, 7) });
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.length).toBe(size);
    expect(body.every((byte) => byte === 7)).toBe(true);
  });

  test("who reads slowly slows the other side down: nothing piles up here", async () => {
    const total = 200 * 1024 * 1024;
    const chunk = Buffer.alloc(256 * 1024);
    let written = 0;
    const upstream = await upstreamOf((_, response) => {
      const write = () => {
        while (written < total) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once("drain", write);
            return;
          }
        }
        response.end();
      };
      write();
    });
    const { port } = await startProxy(upstream.url);
    const socket = connect({ host: "127.0.0.1", port });
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    socket.pause();
    let before = -1;
    await waitFor(
      () => {
        const isStill = written > 0 && written === before;
        before = written;
        return isStill;
      },
      { intervalMs: 100 },
    );
    // What the sockets of two hops hold.
    expect(written).toBeLessThan(total / 4);
    socket.destroy();
  });
});

describe("an upstream that fails", () => {
  test("not listening: 502", async () => {
    const upstream = await listenHttp(() => {});
    await upstream.close();
    const { url, failures } = await startProxy(upstream.url);
    expect((await fetch(url)).status).toBe(502);
    expect(failures).toMatchObject([{ status: 502, kind: "unreachable" }]);
  });

  test("closing without an answer: 502", async () => {
    const upstream = await upstreamOf((request) => request.socket.destroy());
    const { url, failures } = await startProxy(upstream.url);
    expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(502);
    expect(failures).toMatchObject([{ status: 502, kind: "broken" }]);
  });

  test("switching protocols unasked: 502, not a client that waits for ever", async () => {
    const { url } = await rawUpstream(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    const proxied = await startProxy(url);
    expect((await fetch(proxied.url, { signal: AbortSignal.timeout(5_000) })).status).toBe(502);
    expect(proxied.failures).toMatchObject([{ kind: "broken" }]);
  });

  test("what is left of a body then is read, so that the connection's next request is answered", async () => {
    const upstream = await listenHttp(() => {});
    await upstream.close();
    const { port } = await startProxy(upstream.url);
    const body = "a".repeat(5_000_000);
    const socket = connect({ host: "127.0.0.1", port });
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await waitFor(() => received.split("HTTP/1.1 502").length === 3, { timeoutMs: 3_000 });
    socket.destroy();
  });

  test("answering no HTTP: 502", async () => {
    const { url } = await rawUpstream("SSH-2.0-OpenSSH_9.2\r\n");
    const proxied = await startProxy(url);
    expect((await fetch(proxied.url)).status).toBe(502);
  });

  test("not answering in time: 504", async () => {
    const upstream = await upstreamOf(() => {});
    const { url, failures } = await startProxy(upstream.url, { timeouts: { responseMs: 50 } });
    expect((await fetch(url)).status).toBe(504);
    expect(failures).toMatchObject([{ status: 504, kind: "timeout" }]);
  });

  test("slow, but within its time, with a stream that is silent longer: passes", async () => {
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200);
      response.write("a");
      setTimeout(() => response.end("b"), 150);
    });
    const { url } = await startProxy(upstream.url, { timeouts: { responseMs: 80 } });
    expect(await (await fetch(url)).text()).toBe("ab");
  });

  test("closing idle connections just as they are used: a safe request is sent again", async () => {
    let requests = 0;
    const upstream = await upstreamOf((request, response) => {
      requests += 1;
      // The second one meets a connection that goes.
      if (requests === 2) request.socket.destroy();
      else response.end("ok");
    });
    const { url, failures } = await startProxy(upstream.url);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url)).status).toBe(200);
    expect(failures).toEqual([]);
    expect(requests).toBe(3);
  });

  test("a request that may have had effects is not sent again", async () => {
    let requests = 0;
    const upstream = await upstreamOf((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end("ok");
    });
    const { url } = await startProxy(upstream.url);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(502);
    expect(requests).toBe(2);
  });
});

test.each([
  ["http://api.example", "api.example"],
  ["https://api.example:443/v1", "api.example"],
  ["http://api.example:9000", "api.example:9000"],
  ["https://[2001:db8::1]", "[2001:db8::1]"],
])("%s is asked as Host %s", (upstream, host) => {
  expect(targetOf(upstream).host).toBe(host);
});

test("an upstream by IPv6 address, with a path of its own, is asked under it", async () => {
  const urls: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    urls.push(request.url, request.headers.host);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "::1", resolve));
  closing.push(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { url } = await startProxy(`http://[::1]:${port}/base`);
  expect((await fetch(`${url}/v1/a?b=1`)).status).toBe(200);
  expect(urls).toEqual(["/base/v1/a?b=1", `[::1]:${port}`]);
});

describe("an upstream with a path of its own is not left by dots", () => {
  test.each([
    ["/../admin", "/api/admin"],
    ["/v1/../../admin?x=/../y", "/api/admin?x=/../y"],
    ["/%2e%2E/admin", "/api/admin"],
    ["/v1/./login/", "/api/v1/login/"],
    ["/v1/a..b/.hidden", "/api/v1/a..b/.hidden"],
    ["/v1//%6Cogin;a=b", "/api/v1//%6Cogin;a=b"],
  ])("%s goes to %s", async (path, expected) => {
    const upstream = await upstreamOf((request, response) => response.end(request.url));
    const { port } = await startProxy(`${upstream.url}/api`);
    expect(await getRaw(port, path)).toBe(expected);
  });
});

/** fetch would resolve the dots itself. */
function getRaw(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", path, agent: false }, (answer) =>
      text(answer).then(resolve, reject),
    ).on("error", reject);
  });
}
