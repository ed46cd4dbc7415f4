import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AgentStatus } from "@/lib/agent/agent";
import type { Log } from "@/lib/log";
import type { Metrics } from "./metrics";
import type { ShedderStatus } from "./shedder-states";

type Deps = {
  status(): AgentStatus;
  shedders(): ShedderStatus[];
  metrics: Metrics;
  log: Log;
};

/** What operators and orchestrators ask, on a port of its own: it never goes to the internet. */
export function createAdminServer({ status, shedders, metrics, log }: Deps): Server {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0];
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      json(response, 405, { error: `only GET and HEAD are allowed here, got ${request.method}` });
      return;
    }
    switch (path) {
      case "/health":
        json(response, 200, { status: "ok" });
        return;
      case "/ready": {
        const missing = notReadyReasons(status());
        if (missing.length === 0) json(response, 200, { status: "ready" });
        else json(response, 503, { status: "not ready", reasons: missing });
        return;
      }
      case "/status":
        json(response, 200, { ...statusBody(status()), shedders: shedders().map(rounded) });
        return;
      case "/metrics": {
        const text = await metrics.text();
        response.writeHead(200, { "Content-Type": metrics.contentType });
        response.end(text);
        return;
      }
      default:
        json(response, 404, {
          error: `there is /health, /ready, /status and /metrics, got ${path}`,
        });
    }
  }

  return createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error({ error, url: request.url }, "admin request failed");
      if (!response.headersSent) json(response, 500, { error: "it failed, see the log" });
    });
  });
}

/** Rules and directory, be they from the boot files, and not on its way out. */
export function notReadyReasons({ rules, directory, state }: AgentStatus): string[] {
  const reasons: string[] = [];
  if (rules.applied === null)
    reasons.push(because("no rules yet", rules.refused?.reason ?? rules.error));
  if (!directory.complete) reasons.push(because("no directory yet", directory.error));
  if (state !== "serving") reasons.push(`the gateway is ${state}`);
  return reasons;
}

function because(what: string, why: string | null): string {
  return why === null || why === "" ? what : `${what}: ${why}`;
}

function statusBody(status: AgentStatus) {
  const { id, boot, build, rules, directory, mode, modeReason, modeSinceMs, state } = status;
  const error =
    modeReason ?? rules.refused?.reason ?? rules.error ?? directory.error ?? status.stopError;
  return {
    id,
    boot,
    build,
    state,
    epoch: rules.applied?.epoch ?? null,
    version: rules.applied?.version ?? null,
    hash: rules.applied?.hash ?? null,
    source: rules.applied?.source ?? null,
    appliedAtMs: rules.applied?.appliedAtMs ?? null,
    checkedAgoMs: rules.checkedAgoMs,
    refused: rules.refused,
    mode,
    modeSinceMs,
    stopEnforcing: status.stopEnforcing,
    ...(error === null || error === "" ? {} : { error }),
    directory: {
      epoch: directory.position?.epoch ?? null,
      seq: directory.position?.seq ?? null,
      complete: directory.complete,
      ...directory.size,
    },
    fleet: status.fleet,
    batches: status.batches,
    tape: status.tape,
  };
}

/** For people: thousandths are enough. */
function rounded(status: ShedderStatus): unknown {
  const text = JSON.stringify(status, (_, value: unknown) =>
    typeof value === "number" ? Math.round(value * 1000) / 1000 : value,
  );
  return JSON.parse(text);
}

function json(response: ServerResponse, code: number, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(code, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  });
  response.end(text);
}
