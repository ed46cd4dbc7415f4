import { z } from "zod";
import type { CliConfig } from "../config/config";
import { ApiProblemSchema } from "../core/api/problem";
import { AppError } from "../core/errors";

const TIMEOUT_MS = 15_000;

type Call<S extends z.ZodType> = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  answer: S;
  /** Statuses whose body is an answer, not an error. */
  accept?: number[];
};

export type ApiClient = <S extends z.ZodType>(call: Call<S>) => Promise<z.output<S>>;

/** Calls `/api/v1` and parses the answer; every failure is an AppError that names the console. */
export function createApiClient({ controlUrl, token }: CliConfig, signal: AbortSignal): ApiClient {
  return async ({ method = "GET", path, body, answer, accept = [] }) => {
    const url = `${controlUrl}/api/v1${path}`;
    const response = await fetch(url, {
      method,
      headers: {
        accept: "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch((cause: unknown) => {
      throw new AppError("unavailable", `no console answers at ${controlUrl}: ${reasonOf(cause)}`, {
        cause,
      });
    });
    const text = await response.text();
    const json = parseJson(text);
    if (response.ok || accept.includes(response.status)) {
      const parsed = answer.safeParse(json);
      if (parsed.success) return parsed.data;
      throw new AppError(
        "unavailable",
        `${method} ${url} answered ${response.status} with something this program cannot read: ${z.prettifyError(parsed.error)}`,
      );
    }
    throw problemOf(json, `${method} ${url} answered ${response.status}`, token);
  };
}

function problemOf(json: unknown, what: string, token: string | undefined): AppError {
  const problem = ApiProblemSchema.partial({ requestId: true, type: true }).safeParse(json);
  if (!problem.success) return new AppError("unavailable", `${what}: is a Headgate console there?`);
  const { code, detail, errors } = problem.data;
  const hint = code === "unauthenticated" && token === undefined ? ": set HEADGATE_TOKEN" : "";
  return new AppError(code, `${detail}${hint}`, { errors: errors ?? [] });
}

/** What went wrong with a connection, without a stack: `connect ECONNREFUSED 127.0.0.1:3000`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? undefined : error;
  }
}
