import type { z } from "zod";
import type { GatewayAlert } from "@/lib/core/alert";
import { type DirectoryAnswer, DirectoryAnswerSchema } from "@/lib/core/api/directory";
import { GatewayReportResultSchema } from "@/lib/core/api/gateways";
import type { CountBatch } from "@/lib/core/counts";
import type { DirectoryPosition } from "@/lib/core/directory";
import { AppError } from "@/lib/core/errors";
import type { Heartbeat } from "@/lib/core/heartbeat";
import { shown } from "@/lib/core/parse";

const TIMEOUT_MS = 4_000;
/** A base comes as the console reads it from Postgres, which may be for a while: but not without a sign. */
const QUIET_MS = 15_000;
/** The same request would be refused again: malformed, too large, not valid. */
const NEVER_TAKEN: ReadonlySet<number> = new Set([400, 413, 422]);

export type ReportResult = z.output<typeof GatewayReportResultSchema>;

/** The console, asked over HTTP where Redis cannot help. Every call throws `unavailable` if it does not, `invalid` if it refuses what was sent. */
export type ControlHttp = {
  /** "same" when the console still has what `etag` stood for. */
  getSnapshot(etag: string | null): Promise<"same" | { document: Uint8Array; etag: string | null }>;
  getDirectory(since: DirectoryPosition | null): Promise<DirectoryAnswer>;
  /** The directory's document as its bytes come. They throw `unavailable` when they stop coming. */
  getDirectoryBase(): Promise<AsyncGenerator<Uint8Array>>;
  report(report: {
    heartbeat?: Heartbeat;
    alerts?: readonly GatewayAlert[];
    batches?: readonly CountBatch[];
  }): Promise<ReportResult>;
};

type Options = { controlUrl: string; gatewayToken: string; gatewayId: string };

export function createControlHttp({ controlUrl, gatewayToken, gatewayId }: Options): ControlHttp {
  async function call(
    path: string,
    init: RequestInit = {},
    signal = AbortSignal.timeout(TIMEOUT_MS),
  ): Promise<Response> {
    const url = `${controlUrl}/api/v1${path}`;
    const headers = { authorization: `Bearer ${gatewayToken}`, ...init.headers };
    let response: Response;
    try {
      response = await fetch(url, { ...init, headers, signal });
    } catch (cause) {
      throw new AppError("unavailable", `${url} did not answer: ${reasonOf(cause)}`, { cause });
    }
    if (response.ok || response.status === 304) return response;
    const text = await bodyOf(url, response.text());
    const code = NEVER_TAKEN.has(response.status) ? "invalid" : "unavailable";
    throw new AppError(code, `${url} answered ${response.status}: ${shown(text)}`);
  }

  return {
    getSnapshot: async (etag) => {
      const response = await call("/snapshot", {
        headers: etag === null ? {} : { "if-none-match": etag },
      });
      if (response.status === 304) return "same";
      const document = new Uint8Array(await bodyOf("/snapshot", response.arrayBuffer()));
      return { document, etag: response.headers.get("etag") };
    },
    getDirectory: async (since) => {
      const query = since === null ? "" : `?since=${since.epoch}.${since.seq}`;
      return parsed(DirectoryAnswerSchema, await call(`/directory${query}`), "/directory");
    },
    getDirectoryBase: async () => {
      const quiet = createQuietTimer(QUIET_MS);
      try {
        const { body } = await call("/directory/base", {}, quiet.signal);
        return piecesOf(body, quiet);
      } catch (error) {
        quiet.end();
        throw error;
      }
    },
    report: async (report) => {
      const path = `/gateways/${encodeURIComponent(gatewayId)}/report`;
      const response = await call(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(report),
      });
      return parsed(GatewayReportResultSchema, response, path);
    },
  };
}

/** Aborts once nothing was heard for so long. */
function createQuietTimer(ms: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`nothing came for ${ms} ms`)), ms);
  return {
    signal: controller.signal,
    heard: () => timer.refresh(),
    end: () => clearTimeout(timer),
  };
}

async function* piecesOf(
  body: Response["body"],
  quiet: ReturnType<typeof createQuietTimer>,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body ?? []) {
      quiet.heard();
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("unavailable", `/directory/base broke off: ${reasonOf(cause)}`, { cause });
  } finally {
    quiet.end();
  }
}

async function parsed<S extends z.ZodType>(
  schema: S,
  response: Response,
  path: string,
): Promise<z.output<S>> {
  const result = schema.safeParse(await bodyOf(path, response.json()));
  if (result.success) return result.data;
  throw new AppError("unavailable", `${path} answered in another form than this gateway knows`, {
    cause: result.error,
  });
}

async function bodyOf<T>(path: string, body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (cause) {
    throw new AppError("unavailable", `${path} broke off: ${reasonOf(cause)}`, { cause });
  }
}

/** fetch hides the socket's reason in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
