import { createHash } from "node:crypto";
import type { ApiProblem } from "@/lib/core/api/problem";
import { AppError, type ErrorCode } from "@/lib/core/errors";
import type { Log } from "@/lib/log";
import { isNoneMatch } from "./etag";
import { HttpError } from "./http-error";

/** The only map from an error's code to a status. */
export const STATUS_OF: Record<ErrorCode, number> = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unavailable: 503,
  internal: 500,
};

const TITLES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

type Where = { requestId: string; log: Log; route: string };

/** An error's answer: RFC 9457 with the error's details beside the standard members. */
export function problemResponse(error: unknown, where: Where): Response {
  const known = knownError(error, where);
  const status = statusOf(known);
  const isFieldless = status === 422 && known.errors.length === 0;
  const errors = isFieldless ? [{ path: "", message: known.message }] : known.errors;
  const problem: ApiProblem & Record<string, unknown> = {
    ...known.details,
    type: "about:blank",
    title: TITLES[status] ?? "Error",
    status,
    detail: known.message,
    code: known.code,
    requestId: where.requestId,
    ...(errors.length > 0 && { errors }),
  };
  return new Response(JSON.stringify(problem), {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": where.requestId,
      ...(status === 401 && { "www-authenticate": 'Bearer realm="headgate"' }),
      ...(status === 503 && { "retry-after": "2" }),
      ...retryAfter(known.details),
      ...(known instanceof HttpError && known.headers),
    },
  });
}

function statusOf(error: AppError): number {
  if (error instanceof HttpError) return error.status;
  return error.details.reason === "precondition" ? 412 : STATUS_OF[error.code];
}

function retryAfter({ retryAfterSeconds }: Record<string, unknown>): Record<string, string> {
  return typeof retryAfterSeconds === "number" ? { "retry-after": `${retryAfterSeconds}` } : {};
}

/** What nobody foresaw is logged whole under the request's id and told without anything of it. */
export function knownError(error: unknown, { requestId, log, route }: Where): AppError {
  if (error instanceof AppError && error.code !== "internal") return error;
  log.error({ error, requestId, route }, "request failed");
  return new AppError(
    "internal",
    `something failed that should not: the log has it under ${requestId}`,
  );
}

type Tagged = { request: Request; status: number; requestId: string; etag?: string };

/** An answer to GET with a tag over its bytes, or the given one: 304 for who has it already. */
export function taggedResponse(
  value: unknown,
  { request, status, requestId, etag }: Tagged,
): Response {
  if (request.method !== "GET" && request.method !== "HEAD")
    return jsonResponse(value, { status, requestId });
  const tag =
    etag ??
    `"${createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22)}"`;
  if (isNoneMatch(request.headers.get("if-none-match"), tag))
    return jsonResponse(value, { status, requestId, headers: { etag: tag } });
  const headers = { etag: tag, "cache-control": "no-store", "x-request-id": requestId };
  return new Response(null, { status: 304, headers });
}

type Json = { status: number; requestId: string; headers?: Record<string, string> };

export function jsonResponse(value: unknown, { status, requestId, headers = {} }: Json): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...headers,
    },
  });
}
