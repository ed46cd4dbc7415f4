import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import { createProxyServer } from "httpxy";
import type { HeaderField } from "@/lib/core/headers";
import { DETAILS } from "@/lib/core/problem";
import { responseFields } from "./response-fields";

export type UpstreamTimeouts = {
  /** To a connection. */
  connectMs: number;
  /** Without a byte either way before the answer's headers. */
  responseMs: number;
  /** Without a byte of a running answer: an SSE stream that stays silent longer should send comments. */
  idleMs: number;
};

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 5_000,
  responseMs: 60_000,
  idleMs: 600_000,
};
/** Below the 5 s after which many servers close an idle connection, so that none is used as it goes. */
const KEEP_IDLE_MS = 4_000;

export type ProxyFailure = {
  status: 502 | 504;
  detail: string;
  kind: "unreachable" | "broken" | "timeout";
};

export type Forward = {
  request: IncomingMessage;
  response: ServerResponse;
  /** Ours, for the answer. */
  fields: readonly HeaderField[];
  /** An enforced rule matched: its rate-limit fields stand for the answer, not the upstream's. */
  ownsLimits: boolean;
  /** Called at most once, before anything was answered. */
  onFailure(failure: ProxyFailure): void;
};

export type UpstreamProxy = {
  /** Streams the request on and the answer back. The request's headers are sent as they are now. */
  forward(exchange: Forward): void;
  close(): void;
};

type Exchange = Forward & { upstream: ClientRequest | null; isFailed: boolean; isRetry: boolean };

class UpstreamTimeout extends Error {}
class UpstreamBroken extends Error {}

/** httpxy carries requests and aborts; the answer's head is ours to write, so that every field is passed on once. */
export function createProxy(upstream: string, timeouts = UPSTREAM_TIMEOUTS): UpstreamProxy {
  const target = targetOf(upstream);
  const isTls = target.protocol === "https:";
  const options = { keepAlive: true, timeout: KEEP_IDLE_MS, scheduling: "lifo" } as const;
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options);
  const proxy = createProxyServer();
  const exchanges = new WeakMap<IncomingMessage, Exchange>();

  function send(exchange: Exchange): void {
    const { request, response } = exchange;
    if (target.pathname !== "/") request.url = withoutDots(request.url ?? "/");
    const settled = proxy.web(request, response, {
      target,
      agent: exchange.isRetry ? freshAgent(isTls) : agent,
      changeOrigin: true,
      selfHandleResponse: true,
    });
    settled.catch((error: Error) => fail(exchange, error));
  }

  function fail(exchange: Exchange, error: Error & { code?: string }): void {
    const { request, response, upstream: sent } = exchange;
    if (exchange.isFailed || response.headersSent || response.destroyed) return;
    if (isStaleConnection(sent, error) && isReplayable(exchange)) {
      exchange.isRetry = true;
      exchange.upstream = null;
      send(exchange);
      return;
    }
    exchange.isFailed = true;
    // What is left of the body, else the connection's next request would wait behind it.
    request.unpipe();
    request.resume();
    exchange.onFailure(failureOf(error));
  }

  proxy.on("proxyReq", (sent, request) => {
    const exchange = exchanges.get(request);
    if (exchange === undefined) return;
    exchange.upstream = sent;
    if (sent.socket !== null) boundConnect(sent, sent.socket, timeouts.connectMs);
    sent.socket?.setTimeout(timeouts.responseMs);
    sent.setTimeout(timeouts.responseMs, () =>
      sent.destroy(new UpstreamTimeout("no answer in time")),
    );
    // Not every end is an error: an upstream that switches protocols unasked is only closed.
    sent.once("close", () => {
      if (exchange.upstream === sent) fail(exchange, new UpstreamBroken("ended without an answer"));
    });
  });

  proxy.on("proxyRes", (answer, request) => {
    const exchange = exchanges.get(request);
    if (exchange === undefined) return;
    const { response, fields, ownsLimits } = exchange;
    // httpxy may have answered, or the client may be gone.
    if (response.headersSent || response.destroyed) {
      answer.destroy();
      return;
    }
    answer.socket.setTimeout(timeouts.idleMs);
    try {
      const status = answer.statusCode ?? 502;
      const head = responseFields({ answer, status, fields, ownsLimits });
      response.writeHead(status, answer.statusMessage ?? "", head);
    } catch (cause) {
      answer.destroy();
      fail(exchange, new UpstreamBroken("its head cannot be passed on", { cause }));
      return;
    }
    // A stream's first byte may be a while: its head goes now.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    answer.pipe(response);
  });

  proxy.on("error", (error, request) => {
    const exchange = request === undefined ? undefined : exchanges.get(request as IncomingMessage);
    if (exchange !== undefined) fail(exchange, error);
  });
  // The client went: nothing to answer, and no failure of the upstream.
  proxy.on("econnreset", () => {});

  return {
    forward: (forward) => {
      const exchange: Exchange = { ...forward, upstream: null, isFailed: false, isRetry: false };
      exchanges.set(forward.request, exchange);
      send(exchange);
    },
    close: () => agent.destroy(),
  };
}

function boundConnect(sent: ClientRequest, socket: Socket, connectMs: number): void {
  if (!socket.connecting) return;
  const timer = setTimeout(
    () => sent.destroy(new UpstreamTimeout("no connection in time")),
    connectMs,
  );
  const stop = () => clearTimeout(timer);
  socket.once("connect", stop);
  socket.once("close", stop);
}

/** The upstream closed an idle connection just as it was used: it cannot have seen the request. */
function isStaleConnection(sent: ClientRequest | null, error: { code?: string }): boolean {
  const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
  return isClosed && sent?.reusedSocket === true;
}

function isReplayable({ request, isRetry }: Exchange): boolean {
  const { method, headers } = request;
  const isSafe = method === "GET" || method === "HEAD" || method === "OPTIONS";
  const hasBody =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return isSafe && !hasBody && !isRetry;
}

function failureOf(error: Error & { code?: string }): ProxyFailure {
  if (error instanceof UpstreamTimeout)
    return { status: 504, detail: DETAILS.upstreamTimeout, kind: "timeout" };
  const isCutOff = error.code === "ECONNRESET" || error.code === "EPIPE";
  if (error instanceof UpstreamBroken || isCutOff || error.code?.startsWith("HPE_"))
    return { status: 502, detail: DETAILS.upstreamBroken, kind: "broken" };
  return { status: 502, detail: DETAILS.upstreamUnreachable, kind: "unreachable" };
}

function freshAgent(isTls: boolean): HttpAgent {
  return isTls ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
}

const DOT_SEGMENT = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i;

/** The rules judged the path with its dots resolved: left as they are, they would lead out of the upstream's own path. */
function withoutDots(url: string): string {
  if (!DOT_SEGMENT.test(url)) return url;
  const { pathname, search } = new URL(`http://upstream${url}`);
  return pathname + search;
}

/**
 * Not a URL: its hostname has brackets around an IPv6 address, which no resolver takes. `host` becomes the Host
 * field: given none, httpxy would name the default port, too, which some virtual hosts do not answer to.
 */
export function targetOf(upstream: string) {
  const { protocol, host, hostname, port, pathname } = new URL(upstream);
  return {
    protocol,
    host,
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    pathname,
  };
}
