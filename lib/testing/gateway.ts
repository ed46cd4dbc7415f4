import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { parseRedisUrl } from "../config/redis-url";
import type { GatewayAlert } from "../core/alert";
import type { CountBatch } from "../core/counts";
import type { DirectoryEntry } from "../core/directory";
import { requiredFeatures } from "../core/features";
import type { Heartbeat } from "../core/heartbeat";
import type { Body } from "../core/ruleset";
import { deriveKeys, keyedHash } from "../core/secrets";
import { bodyHash, encodeSnapshot } from "../core/snapshot";
import { createGateway, type GatewayConfig } from "../gateway/gateway";
import type { IdentifyClient } from "../gateway/identifier";
import { UPSTREAM_TIMEOUTS, type UpstreamTimeouts } from "../gateway/proxy";
import { createLog } from "../log";
import type { RedisAddress } from "../redis/connect";
import { controlKeys } from "../redis/control-keys";
import { putSnapshot } from "../redis/snapshot";
import { documentBytes, putDirectoryBase, type TestDirectory } from "./directory";

export const TEST_SECRETS = ["a-root-secret-of-the-tests"] as const;
export const TEST_EPOCH = 1_767_225_600;

export type Listening = { url: string; port: number; server: Server; close(): Promise<void> };

/** An HTTP server on a free port. */
export async function listenHttp(handler: RequestListener, port = 0): Promise<Listening> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const at = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${at}`,
    port: at,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with what it received: method, path, headers, body. */
export function echoUpstream(): Promise<Listening> {
  return listenHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const body = Buffer.concat(chunks).toString();
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ method, url, headers, body }));
    });
  });
}

type SnapshotInput = { environment: string; body: Body; version: number; epoch?: number };

export function snapshotOf({ environment, body, version, epoch = TEST_EPOCH }: SnapshotInput) {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const [key] = deriveKeys(TEST_SECRETS, "snapshot");
  const requires = requiredFeatures(body);
  const document = encodeSnapshot({ environment, epoch, version, requires, body: bytes }, key);
  return { document, head: { epoch, version, hash: bodyHash(bytes) } };
}

export async function publishRules(redis: Redis, input: SnapshotInput, notice = true) {
  const { document, head } = snapshotOf(input);
  const keys = controlKeys(input.environment);
  await putSnapshot(redis, keys, head, document);
  if (notice) await redis.publish(keys.notices, JSON.stringify({ kind: "version", ...head }));
  return head;
}

/** Keys by their text: `{ "hg_test_1": { id: "k1", customer: "acme", plan: "free" } }`. */
export type TestKeys = Record<string, { id: string; customer: string; plan: string }>;

export function directoryOf(
  environment: string,
  keys: TestKeys,
  more: DirectoryEntry[] = [],
  seq = 1,
): TestDirectory {
  const [secret] = deriveKeys(TEST_SECRETS, "api-key");
  const entries = Object.entries(keys).flatMap(
    ([text, { id, customer, plan }]): DirectoryEntry[] => [
      { type: "customer", id: customer, plan },
      { type: "key", hash: keyedHash(text, secret), keyId: secret.keyId, id, customer },
    ],
  );
  return { environment, epoch: TEST_EPOCH, seq, entries: [...entries, ...more] };
}

export async function publishDirectory(redis: Redis, base: TestDirectory): Promise<void> {
  const keys = controlKeys(base.environment);
  await putDirectoryBase(redis, keys, base);
  const notice = { kind: "directory", epoch: base.epoch, seq: base.seq };
  await redis.publish(keys.notices, JSON.stringify(notice));
}

export type StubConsole = Listening & {
  heartbeats: Heartbeat[];
  alerts: (GatewayAlert & { receivedMs: number })[];
  batches: CountBatch[];
  snapshot: Uint8Array | null;
  directory: TestDirectory | null;
  snapshotRequests: number;
};

/** The console's side of a gateway's HTTP calls. */
export async function stubConsole(port = 0): Promise<StubConsole> {
  const seen = {
    heartbeats: [] as Heartbeat[],
    alerts: [] as StubConsole["alerts"],
    batches: [] as CountBatch[],
    snapshot: null as Uint8Array | null,
    directory: null as TestDirectory | null,
    snapshotRequests: 0,
  };
  const listening = await listenHttp((request, response) => {
    const path = request.url ?? "";
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (path.startsWith("/api/v1/snapshot")) {
      seen.snapshotRequests += 1;
      if (seen.snapshot === null) return json(503, {});
      const etag = `"${bodyHash(seen.snapshot)}"`;
      if (request.headers["if-none-match"] === etag) {
        response.writeHead(304, { ETag: etag }).end();
        return;
      }
      response.writeHead(200, { ETag: etag }).end(seen.snapshot);
      return;
    }
    if (path.startsWith("/api/v1/directory")) {
      if (seen.directory === null) return json(503, {});
      const { epoch, seq } = seen.directory;
      if (path.endsWith("/base")) response.end(documentBytes(seen.directory));
      else if (path.endsWith(`since=${epoch}.${seq}`))
        json(200, { kind: "deltas", position: { epoch, seq }, deltas: [] });
      else json(200, { kind: "base", position: { epoch, seq } });
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const report = JSON.parse(Buffer.concat(chunks).toString());
      if (report.heartbeat) seen.heartbeats.push(report.heartbeat);
      const receivedMs = performance.now();
      seen.alerts.push(...(report.alerts ?? []).map((a: GatewayAlert) => ({ ...a, receivedMs })));
      seen.batches.push(...(report.batches ?? []));
      json(200, { current: { epoch: TEST_EPOCH, version: 1 } });
    });
  }, port);
  return Object.assign(seen, listening);
}

type GatewayInput = {
  environment: string;
  redisUrl: string;
  /** Where counters live, if not there. */
  state?: GatewayConfig["redis"]["state"];
  upstream: string;
  controlUrl?: string;
  dataDir: string;
  id?: string;
  timeouts?: Partial<UpstreamTimeouts>;
  identify?: IdentifyClient;
  identifyTimeoutMs?: number;
} & Partial<Pick<GatewayConfig, "trustProxy" | "checkDeadlineMs" | "secrets" | "stopEnforcing">>;

/** A gateway on free ports, with every real part but the console. */
export async function startGateway(input: GatewayInput) {
  const node = addressOf(input.redisUrl);
  const gateway = createGateway(
    {
      id: input.id ?? "gateway-a",
      environment: input.environment,
      secrets: input.secrets ?? TEST_SECRETS,
      dataDir: input.dataDir,
      controlUrl: input.controlUrl ?? "http://127.0.0.1:1",
      gatewayToken: "gateway-token",
      build: "test",
      redis: {
        state: input.state ?? { kind: "single", node },
        control: { kind: "single", node },
      },
      host: "127.0.0.1",
      port: 0,
      adminPort: 0,
      upstream: input.upstream,
      checkDeadlineMs: input.checkDeadlineMs ?? 1_000,
      stopEnforcing: input.stopEnforcing,
      trustProxy: input.trustProxy ?? { kind: "networks", cidrs: ["127.0.0.0/8", "::1/128"] },
    },
    {
      log: createLog({ name: "gateway", level: "silent" }),
      timeouts: { ...UPSTREAM_TIMEOUTS, ...input.timeouts },
      ...(input.identify === undefined ? {} : { identify: input.identify }),
      ...(input.identifyTimeoutMs === undefined
        ? {}
        : { identifyTimeoutMs: input.identifyTimeoutMs }),
    },
  );
  const { port, adminPort } = await gateway.start();
  return {
    ...gateway,
    port,
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
  };
}

export type TestGateway = Awaited<ReturnType<typeof startGateway>>;

export function addressOf(redisUrl: string): RedisAddress {
  const node = parseRedisUrl(redisUrl);
  if ("wrong" in node) throw new Error(`${redisUrl} ${node.wrong}`);
  return node;
}

export function randomEnvironment(): string {
  return `test-${randomBytes(5).toString("hex")}`;
}

/** A folder that is gone after the test file, if its afterAll calls `remove`. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "headgate-test-gateway-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
