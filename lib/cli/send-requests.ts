import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { z } from "zod";
import type { AccessLogEntry } from "../core/access-log";

const TIMEOUT_MS = 30_000;
const BODY_READ_MAX = 16_384;

/** `rejected` is a gateway's own 429 or 503; what the API behind it answers is `allowed`, whatever its status. */
export type Sent =
  | { outcome: "allowed"; status: number }
  | { outcome: "rejected"; status: number }
  | { outcome: "failed"; reason: string };

export type Sender = { send(entry: AccessLogEntry): Promise<Sent>; close(): void };

/** Problem documents of a gateway name the rule; an upstream's own 429 does not. */
const RejectionSchema = z.object({ rule: z.string().min(1) });

/** Sends to the gateways in turn, over kept connections, as the client of the log. */
export function createSender(gateways: readonly URL[], connections: number): Sender {
  const options = { keepAlive: true, maxSockets: connections, scheduling: "lifo" } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  let turn = 0;
  return {
    send: (entry) => {
      const gateway = gateways[turn % gateways.length];
      turn += 1;
      if (gateway === undefined) throw new Error("createSender needs at least one gateway");
      return sendOne(gateway, entry, agents);
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function sendOne(
  gateway: URL,
  entry: AccessLogEntry,
  agents: { http: HttpAgent; https: HttpsAgent },
): Promise<Sent> {
  const isTls = gateway.protocol === "https:";
  const options = {
    host: gateway.hostname.replace(/^\[|\]$/g, ""),
    port: gateway.port === "" ? (isTls ? 443 : 80) : Number(gateway.port),
    method: entry.method,
    path: entry.target,
    agent: isTls ? agents.https : agents.http,
    timeout: TIMEOUT_MS,
    headers: {
      "x-forwarded-for": entry.client,
      "user-agent": headerText(entry.userAgent ?? "headgate-replay"),
      ...(entry.referrer !== null && { referer: headerText(entry.referrer) }),
      ...(mayHaveBody(entry.method) && { "content-length": "0" }),
    },
  };
  return new Promise((resolve) => {
    const fail = (error: Error & { code?: string }) =>
      resolve({ outcome: "failed", reason: error.code ?? error.message });
    const request = (isTls ? httpsRequest : httpRequest)(options, (response) => {
      const status = response.statusCode ?? 0;
      const isProblem = /^application\/problem\+json/.test(response.headers["content-type"] ?? "");
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        if (isProblem && length < BODY_READ_MAX) chunks.push(chunk);
        length += chunk.length;
      });
      response.on("error", fail);
      response.on("end", () =>
        resolve(
          isProblem
            ? ofProblem(status, Buffer.concat(chunks), entry.method)
            : { outcome: "allowed", status },
        ),
      );
    });
    request.on("timeout", () =>
      request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)),
    );
    request.on("error", fail);
    request.end();
  });
}

/** A HEAD's answer has no body to name the rule: there the type has to do. */
function ofProblem(status: number, body: Buffer, method: string): Sent {
  const isOurs = method === "HEAD" || RejectionSchema.safeParse(parseJson(body.toString())).success;
  if (isOurs && (status === 429 || status === 503)) return { outcome: "rejected", status };
  if ([502, 503, 504].includes(status))
    return { outcome: "failed", reason: `${status} by the gateway` };
  return { outcome: "allowed", status };
}

function mayHaveBody(method: string): boolean {
  return !["GET", "HEAD", "OPTIONS", "DELETE", "TRACE"].includes(method);
}

/** What may stand in a header: no control characters, bytes only. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?").slice(0, 8_000);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? undefined : error;
  }
}
