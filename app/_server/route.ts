import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { type Control, type Ctx, runIdempotent, withActor } from "@/lib/control";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { authenticate } from "./authenticate";
import { getControl } from "./context";
import { HttpError } from "./http-error";
import { METHODS, type Method, type Operation } from "./operation";
import { parseJsonBody, readBody } from "./request-body";
import { jsonResponse, problemResponse, taggedResponse } from "./respond";
import { ROUTES, type RoutePath } from "./route-table";

const BODY_MAX_BYTES = 1_048_576;

type Table = typeof ROUTES;
type MethodsOf<P extends RoutePath> = keyof Table[P] & Method;
type InputOf<O, K extends "query" | "body"> =
  O extends Record<K, infer S extends z.ZodType> ? z.input<S> : undefined;
type ParamsOf<O> = O extends { params: infer S extends z.ZodType } ? z.output<S> : object;
type AnswerOf<O> = O extends { answer: infer S extends z.ZodType } ? z.output<S> : never;

/** What a handler gets. `query` and `body` are as they came: the verb parses them, after its permission. */
type Call<O> = {
  ctx: O extends { scope: "none" } ? Control : Ctx;
  request: Request;
  params: ParamsOf<O>;
  query: InputOf<O, "query">;
  body: InputOf<O, "body">;
};

type Handlers<P extends RoutePath> = {
  [M in MethodsOf<P>]: (call: Call<Table[P][M]>) => Promise<AnswerOf<Table[P][M]> | Response>;
};

type AnyCall = { ctx: unknown; request: Request; params: unknown; query: unknown; body: unknown };
type AnyHandler = (call: AnyCall) => Promise<unknown>;
type NextContext = { params: Promise<Record<string, string | string[] | undefined>> };
type NextHandler = (request: Request, context: NextContext) => Promise<Response>;

/** The exports of a `route.ts`: what the table describes, and 405 with Allow for every other method. */
export function route<P extends RoutePath>(
  path: P,
  handlers: Handlers<P>,
): Record<Method | "OPTIONS", NextHandler> {
  const operations: Partial<Record<Method, Operation>> = ROUTES[path];
  const allow = METHODS.filter((method) => operations[method] !== undefined)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .concat("OPTIONS")
    .join(", ");
  const served = (method: Method): NextHandler => {
    const operation = operations[method];
    if (operation === undefined) return refuseMethod(path, allow);
    return serve({ name: `${method} ${path}`, operation, handler: handlerOf(handlers, method) });
  };
  return {
    GET: served("GET"),
    POST: served("POST"),
    PUT: served("PUT"),
    PATCH: served("PATCH"),
    DELETE: served("DELETE"),
    OPTIONS: answerOptions(allow),
  };
}

/** `Handlers` ties each handler to its operation in the table, and `serve` builds its call from that operation. */
function handlerOf(handlers: object, method: Method): AnyHandler {
  return (handlers as Record<Method, AnyHandler>)[method];
}

type Served = { name: string; operation: Operation; handler: AnyHandler };

function serve({ name, operation, handler }: Served): NextHandler {
  return async (request, context) => {
    const requestId = randomUUID();
    const control = getControl();
    try {
      const ctx =
        operation.scope === "none"
          ? control
          : withActor(control, await authenticate(control, request));
      const call = { request, params: await paramsOf(operation, context), query: queryOf(request) };
      const { body, bytes } = await bodyOf(operation, request);
      const { status } = operation;
      const key = request.headers.get("idempotency-key");
      if (key === null || request.method !== "POST" || !isCtx(ctx)) {
        const answer = await handler({ ctx, body, ...call });
        return answer instanceof Response
          ? answer
          : taggedResponse(answer, { request, status, requestId });
      }
      const { pathname, search } = new URL(request.url);
      const done = await runIdempotent(ctx, {
        key,
        method: request.method,
        path: `${pathname}${search}`,
        body: bytes,
        secrets: operation.secrets ?? [],
        act: async (marked) => {
          const answer = await handler({ ctx: marked, body, ...call });
          if (!(answer instanceof Response)) return { status, answer };
          return { status: answer.status, answer: await answer.json() };
        },
      });
      const headers = done.replayed ? { "idempotency-replayed": "true" } : {};
      return jsonResponse(done.answer, { status: done.status, requestId, headers });
    } catch (error) {
      return problemResponse(error, { requestId, log: control.log, route: name });
    }
  };
}

function isCtx(ctx: Control | Ctx): ctx is Ctx {
  return "actor" in ctx;
}

type ReadBody = { body: unknown; bytes: Uint8Array };

async function bodyOf(operation: Operation, request: Request): Promise<ReadBody> {
  if (operation.body === undefined) return { body: undefined, bytes: new Uint8Array() };
  const bytes = await readBody(request, operation.maxBytes ?? BODY_MAX_BYTES);
  return { body: parseJsonBody(bytes, request.headers.get("content-type")) ?? {}, bytes };
}

async function paramsOf({ params }: Operation, context: NextContext): Promise<unknown> {
  if (params === undefined) return {};
  const given = Object.entries(await context.params).map(([name, value]) => [
    name,
    typeof value === "string" ? decoded(value) : value,
  ]);
  return parseInput(params, Object.fromEntries(given), "the address");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** `?a=1&b=2&b=3` as `{a: "1", b: ["2", "3"]}`. */
function queryOf(request: Request): Record<string, string | string[]> {
  const { searchParams } = new URL(request.url);
  const names = [...new Set(searchParams.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

function answerOptions(allow: string): NextHandler {
  return async () => new Response(null, { status: 204, headers: { allow } });
}

function refuseMethod(path: string, allow: string): NextHandler {
  return async (request) => {
    const message = `/api/v1${path} takes ${allow}, got ${request.method}`;
    const where = { requestId: randomUUID(), log: getControl().log, route: path };
    return problemResponse(new HttpError(405, message, { allow }), where);
  };
}

/** For every path that the table does not know. */
export async function refuseUnknownPath(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const error = new AppError(
    "not_found",
    `there is no ${pathname}: /api/v1/openapi.json lists what there is`,
  );
  return problemResponse(error, { requestId: randomUUID(), log: getControl().log, route: "?" });
}
