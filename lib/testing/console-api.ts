import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { closeControl, getControl } from "../../app/_server/context";
import type { Method, Operation } from "../../app/_server/operation";
import { ROUTES } from "../../app/_server/route-table";
import { type Control, ensureInstallation } from "../control";
import { ApiProblemSchema } from "../core/api/problem";
import { createTestDatabase, sharedRedisUrl } from "./services";

type Call = {
  /** `admin` is the bootstrap token, `gateway` the gateways'; null sends none. */
  as?: "admin" | "gateway" | null;
  token?: string;
  body?: unknown;
  /** Instead of `body`: exactly these bytes. */
  raw?: string;
  headers?: Record<string, string>;
};

export type Answer = {
  status: number;
  json: Record<string, unknown>;
  headers: Headers;
  text: string;
};

export type ConsoleApi = {
  control: Control;
  /** `POST /rules/per-key-rate/mode`; the answer is held to what the table documents. */
  call(what: string, given?: Call): Promise<Answer>;
  /** The same over HTTP, for programs that ask an address: `http://127.0.0.1:<port>`. */
  listen(): Promise<string>;
  close(): Promise<void>;
};

type RouteModule = Record<
  string,
  (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>
>;

export const TOKENS = { admin: "hgb_for-tests-only", gateway: "hgg_for-tests-only" };

/** The console's API as its process would open it, from the environment alone, on a database of its own. */
export async function openConsoleApi({ demo = false } = {}): Promise<ConsoleApi> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "headgate-test-console-"));
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    REDIS_URL: sharedRedisUrl(),
    HEADGATE_ENVIRONMENT: `test-${randomBytes(6).toString("hex")}`,
    HEADGATE_DATA: dataDir,
    HEADGATE_LOG_LEVEL: "silent",
    HEADGATE_BOOTSTRAP_TOKEN: TOKENS.admin,
    HEADGATE_GATEWAY_TOKEN: TOKENS.gateway,
  });
  const control = getControl();
  await ensureInstallation(control, { demo });
  const servers: Server[] = [];
  return {
    control,
    call,
    listen: async () => {
      const server = createServer(forward);
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close: async () => {
      for (const server of servers) server.close().closeAllConnections();
      await closeControl();
      await database.drop();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function call(what: string, given: Call = {}): Promise<Answer> {
  const [method = "", address = ""] = what.split(" ");
  const url = new URL(`http://127.0.0.1:3000/api/v1${address}`);
  const { path, params } = match(url.pathname.slice("/api/v1".length));
  const module = await load(path);
  const handler = module[method === "HEAD" ? "GET" : method];
  if (handler === undefined) throw new Error(`${path} exports no ${method}`);
  const response = await handler(requestOf(method, url, given), {
    params: Promise.resolve(params),
  });
  const body = await response.text();
  const answer: Answer = {
    status: response.status,
    json: body.startsWith("{") && !body.includes("\n") ? JSON.parse(body) : {},
    headers: response.headers,
    text: body,
  };
  hold(answer, (ROUTES as Record<string, Partial<Record<Method, Operation>>>)[path], method);
  return answer;
}

function requestOf(
  method: string,
  url: URL,
  { as = "admin", token, body, raw, headers }: Call,
): Request {
  const bearer = token ?? (as === null ? undefined : TOKENS[as]);
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Request(url, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(sent !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  });
}

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization } = request.headers;
  const raw = await text(request);
  const answer = await call(`${request.method} ${request.url?.slice("/api/v1".length)}`, {
    as: null,
    ...(authorization !== undefined && { headers: { authorization } }),
    ...(raw !== "" && { raw }),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.text);
}

/** A path with words where the table has parameters: a literal wins, as in Next. */
function match(pathname: string): { path: string; params: Record<string, string> } {
  const given = pathname.split("/");
  const fits = Object.keys(ROUTES).filter((path) => {
    const words = path.split("/");
    return (
      words.length === given.length &&
      words.every((word, i) => word.startsWith("{") || word === given[i])
    );
  });
  const path = fits.sort((a, b) => a.split("{").length - b.split("{").length)[0];
  if (path === undefined) return { path: "/[[...path]]", params: {} };
  const names = path.split("/").map((word, i): [string, string] => [word, given[i] ?? ""]);
  const params = names
    .filter(([word]) => word.startsWith("{"))
    .map(([word, value]) => [word.slice(1, -1), value]);
  return { path, params: Object.fromEntries(params) };
}

async function load(path: string): Promise<RouteModule> {
  const folder = path.replaceAll("{", "[").replaceAll("}", "]");
  const file = new URL(`../../app/api/v1${folder}/route.ts`, import.meta.url).pathname;
  return (await import(/* @vite-ignore */ decodeURIComponent(file))) as RouteModule;
}

function hold(
  answer: Answer,
  item: Partial<Record<string, Operation>> | undefined,
  method: string,
): void {
  const type = answer.headers.get("content-type");
  if (answer.status >= 400 && type !== "application/json") {
    expect(type).toBe("application/problem+json");
    expect(ApiProblemSchema.parse(answer.json).status).toBe(answer.status);
    return;
  }
  const operation = item?.[method];
  if (answer.status === 202 && operation?.accepted !== undefined) {
    operation.accepted.parse(answer.json);
    return;
  }
  if (operation?.answer === undefined || answer.status === 304) return;
  expect([operation.status, operation.alsoStatus?.status]).toContain(answer.status);
  operation.answer.parse(answer.json);
}
