import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiToken, SYSTEM, withActor } from "@/lib/control";
import { SUPPORTED_FEATURES } from "@/lib/core/features";
import type { Heartbeat } from "@/lib/core/heartbeat";
import { deriveKeys } from "@/lib/core/secrets";
import { readSnapshot } from "@/lib/core/snapshot";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
beforeAll(async () => {
  api = await openConsoleApi();
});
afterAll(() => api.close());

test("a key is shown once, found by its prefix, moved and revoked", async () => {
  const made = await api.call("POST /keys", {
    body: { plan: "free", customer: "acme", name: "CI" },
  });
  expect(made).toMatchObject({ status: 201, json: { plan: "free", customer: "acme" } });
  const { id, key, prefix } = made.json as { id: string; key: string; prefix: string };
  expect(key.startsWith(prefix)).toBe(true);

  const found = await api.call(`GET /keys?prefix=${prefix}&customer=acme&plan=free`);
  expect(found.json).toMatchObject({ total: 1, items: [{ id, name: "CI" }] });
  expect(found.text).not.toContain(key);

  const other = await api.call("POST /keys", { body: { plan: "paid", customer: "acme" } });
  expect(other.status).toBe(409);
  const moved = await api.call(`PATCH /keys/${id}`, { body: { plan: "paid", name: "CI 2" } });
  expect(moved.json).toMatchObject({ plan: "paid", name: "CI 2" });
  expect((await api.call("POST /keys", { body: { plan: "nonsense" } })).status).toBe(422);

  expect((await api.call(`DELETE /keys/${id}`)).json.revokedAt).not.toBeNull();
  expect((await api.call("GET /keys?customer=acme")).json).toMatchObject({ items: [] });
  expect((await api.call("GET /keys?customer=acme&revoked=true")).json).toMatchObject({
    items: [{ id }],
  });
  expect((await api.call("DELETE /keys/nobody")).status).toBe(404);
});

test("the snapshot is signed, and 304 as long as it is the same, also for a weak tag", async () => {
  const first = await api.call("GET /snapshot", { as: "gateway" });
  expect(first.headers.get("content-type")).toBe("application/vnd.headgate.snapshot");
  const { environment, config } = api.control;
  const document = readSnapshot(Buffer.from(first.text), {
    environment,
    keys: deriveKeys(config.secrets, "snapshot"),
  });
  expect(document).toMatchObject({ ok: true, envelope: { version: 1 } });

  const etag = first.headers.get("etag") ?? "";
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await api.call("GET /snapshot", {
      as: "gateway",
      headers: { "if-none-match": tag },
    });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
  }
  await api.call("PUT /draft/routes", { body: ["/v1/links/:id"] });
  await api.call("POST /publish", { body: { message: "routes", baseVersion: 1 } });
  const next = await api.call("GET /snapshot", {
    as: "gateway",
    headers: { "if-none-match": etag },
  });
  expect(next.status).toBe(200);
  expect(next.headers.get("etag")).not.toBe(etag);
});

test("the directory comes whole, then as what changed since", async () => {
  const told = await api.call("GET /directory", { as: "gateway" });
  expect(told.json).toMatchObject({ kind: "base" });
  const { epoch, seq } = told.json.position as { epoch: number; seq: number };
  await api.call("POST /keys", { body: { plan: "enterprise" } });
  const since = await api.call(`GET /directory?since=${epoch}.${seq}`, { as: "gateway" });
  expect(since.json).toMatchObject({ kind: "deltas", deltas: [{ epoch, seq: seq + 1 }] });
});

function heartbeat(fields: Partial<Heartbeat> = {}): Heartbeat {
  const now = Date.now();
  return {
    schema: 1,
    environment: api.control.environment,
    gateway: "gw-1",
    boot: "boot-0001",
    atMs: now,
    startedAtMs: now - 60_000,
    build: "test",
    applied: null,
    refused: null,
    checkedAgoMs: null,
    directory: null,
    mode: "shared",
    modeSinceMs: now - 60_000,
    error: null,
    requestsPerSecond: 0,
    clockOffsetMs: 0,
    state: "serving",
    features: [...SUPPORTED_FEATURES],
    ...fields,
  };
}

test("a gateway without Redis reports over HTTP, is listed, raises an alert and is dismissed", async () => {
  const reported = await api.call("POST /gateways/gw-1/report", {
    as: "gateway",
    body: {
      heartbeat: heartbeat({ mode: "local" }),
      alerts: [
        { kind: "gateway-degraded", state: "raised", atMs: Date.now(), message: "Redis is away" },
      ],
    },
  });
  expect(reported.json).toMatchObject({ current: { version: 2 } });
  expect((await api.call("GET /gateways")).json).toMatchObject({
    items: [{ id: "gw-1", state: "live", mode: "local" }],
    convergence: { live: 1, applied: 0, converged: false },
  });

  const { json } = await api.call("GET /alerts?open=true");
  const [alert] = json.items as { id: string; kind: string; message: string }[];
  expect(alert).toMatchObject({
    kind: "gateway-degraded",
    message: expect.stringContaining("Redis is away"),
  });
  const seen = await api.call(`POST /alerts/${alert?.id}/acknowledge`);
  expect(seen.json).toMatchObject({ acknowledgedBy: "Bootstrap token" });

  expect((await api.call("POST /gateways/gw-1/dismiss")).status).toBe(409);
  const lastSeenAt = new Date(Date.now() - 60_000);
  await api.control.db.gateway.update({ where: { id: "gw-1" }, data: { lastSeenAt } });
  const gone = await api.call("POST /gateways/gw-1/dismiss", { body: { reason: "scaled down" } });
  expect(gone.json).toMatchObject({ id: "gw-1", state: "dismissed" });
  expect((await api.call("POST /gateways/gw-9/dismiss")).status).toBe(404);
});

test("a gateway may only speak for itself, and only in its environment", async () => {
  const other = await api.call("POST /gateways/gw-2/report", {
    as: "gateway",
    body: { heartbeat: heartbeat() },
  });
  expect(other.status).toBe(422);
  const strange = heartbeat({ environment: "elsewhere" });
  const report = await api.call("POST /gateways/gw-1/report", {
    as: "gateway",
    body: { heartbeat: strange },
  });
  expect(report.status).toBe(422);
});

test("a stored token does what its scope says until it is revoked", async () => {
  const ctx = withActor(api.control, SYSTEM);
  const { token } = await createApiToken(ctx, { name: "CI", scopes: ["admin"] });
  expect((await api.call("GET /rules", { token })).status).toBe(200);
  const gateway = await createApiToken(ctx, { name: "gw", scopes: ["gateway"] });
  expect((await api.call("GET /directory", { token: gateway.token })).status).toBe(200);
  expect((await api.call("GET /rules", { token: gateway.token })).status).toBe(403);
});

test("an override has the form that its rule's kind takes, is read back, and ends", async () => {
  const limit = { kind: "concurrency", default: { concurrent: 2 } };
  const rule = { name: "In flight", countBy: ["customer"], limit };
  expect((await api.call("PUT /draft/rules/in-flight", { body: rule })).status).toBe(200);
  const { currentVersion: baseVersion } = (await api.call("GET /draft")).json;
  await api.call("POST /publish", { body: { message: "in flight", baseVersion } });
  await api.call("POST /keys", { body: { plan: "free", customer: "globex" } });

  const body = {
    client: "customer:globex",
    rule: "in-flight",
    limit: { rate: 5, per: "1m", burst: 5 },
    owner: "Dana",
    reason: "migration",
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const bad = await api.call("PUT /overrides/globex", { body });
  expect(bad).toMatchObject({
    status: 422,
    json: {
      errors: [
        {
          path: "limit",
          message:
            'rule in-flight is of kind concurrency and takes "unlimited" or {concurrent}, got {rate, per, burst}',
        },
      ],
    },
  });
  const put = await api.call("PUT /overrides/globex", {
    body: { ...body, limit: { concurrent: 20 } },
  });
  expect(put).toMatchObject({
    status: 200,
    json: { state: "active", words: "20 at the same time" },
  });
  expect((await api.call("GET /overrides?client=customer:globex")).json.items).toEqual([put.json]);
  expect((await api.call("DELETE /overrides/globex")).json.state).toBe("ended");
  expect((await api.call("GET /overrides")).json.items).toEqual([]);
  expect((await api.call("GET /overrides/nobody")).status).toBe(404);
});
