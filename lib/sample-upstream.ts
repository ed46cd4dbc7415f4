import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

const BODY_MAX = 1_000_000;
const EVENT_MS = 1_000;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * A small SMS-and-links API to put a gateway in front of. It keeps nothing: what an id names is worked out from
 * the id, so that any may be asked for.
 */
export function createSampleUpstream(): Server {
  return createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const [version, collection, id, ...rest] = path.split("/").slice(1);
    const isKnown = version === "v1" && rest.length === 0 && (id === undefined || ID.test(id));
    const answer = isKnown ? routeOf(request.method, collection, id) : undefined;
    if (answer === undefined)
      json(response, 404, { error: "not_found", method: request.method, path });
    else answer(request, response);
  });
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function routeOf(
  method = "GET",
  collection: string | undefined,
  id: string | undefined,
): Answer | undefined {
  const isRead = method === "GET" || method === "HEAD";
  if (collection === "messages") {
    if (isRead && id === undefined)
      return (_, response) =>
        json(response, 200, { items: ["msg_1001", "msg_1002", "msg_1003"].map(messageOf) });
    if (isRead && id !== undefined) return (_, response) => json(response, 200, messageOf(id));
    if (method === "POST" && id === undefined)
      return (request, response) =>
        create(request, response, () => ({ ...messageOf(newId("msg")), status: "queued" }));
  }
  if (collection === "links") {
    if (isRead && id !== undefined) return (_, response) => json(response, 200, linkOf(id));
    if (method === "POST" && id === undefined)
      return (request, response) => create(request, response, () => linkOf(newId("lnk")));
  }
  if (collection === "events" && method === "GET" && id === undefined) return streamEvents;
  return undefined;
}

function messageOf(id: string) {
  const seed = seedOf(id);
  const status = ["delivered", "delivered", "sent", "queued", "failed"][seed % 5];
  return {
    id,
    to: `+155501${String(seed % 10_000).padStart(5, "0")}`,
    status,
    segments: 1 + (seed % 2),
  };
}

function linkOf(id: string) {
  const seed = seedOf(id);
  return { id, url: `https://example.com/parcel/${seed % 100_000}`, clicks: seed % 500 };
}

function seedOf(id: string): number {
  return createHash("sha256").update(id).digest().readUInt32BE(0);
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString("hex")}`;
}

/** Reads the body to its end, as an API would, then answers 201. */
function create(request: IncomingMessage, response: ServerResponse, made: () => object): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > BODY_MAX && !response.headersSent)
      json(response, 413, { error: "too_large", allowedBytes: BODY_MAX });
  });
  request.on("end", () => {
    if (!response.headersSent) json(response, 201, made());
  });
}

/** Server-sent events, one a second, until the client goes. */
function streamEvents(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  let count = 0;
  const send = () => {
    count += 1;
    const event = JSON.stringify({ n: count, ...messageOf(`msg_${1000 + count}`) });
    response.write(`event: message\ndata: ${event}\n\n`);
  };
  send();
  const timer = setInterval(send, EVENT_MS);
  response.on("close", () => clearInterval(timer));
}

function json(response: ServerResponse, status: number, body: object): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}
