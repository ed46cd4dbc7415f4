import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Control, createApiToken, SYSTEM, setRuleMode, withActor } from "@/lib/control";
import { storeHeartbeat } from "@/lib/control/store-heartbeat";
import { type Convergence, ConvergenceSchema } from "@/lib/core/api/versions";
import { SUPPORTED_FEATURES } from "@/lib/core/features";
import type { Heartbeat } from "@/lib/core/heartbeat";
import { inTransaction } from "@/lib/db/client";
import { type ConsoleApi, openConsoleApi, TOKENS } from "@/lib/testing/console-api";
import { listenTo, serveStream } from "@/lib/testing/event-stream";
import { waitFor } from "@/lib/testing/wait-for";
import { GET } from "./versions/[n]/convergence/route";

let api: ConsoleApi;
let control: Control;
let server: Awaited<ReturnType<typeof serveStream>>;
beforeAll(async () => {
  api = await openConsoleApi({ demo: true });
  control = api.control;
  server = await serveStream((request) => {
    const n = new URL(request.url).pathname.split("/").at(-2) ?? "";
    return GET(request, { params: Promise.resolve({ n }) });
  });
});
afterAll(async () => {
  await server.kill();
  await api.close();
});

async function follow(version: number, bearer = TOKENS.admin) {
  return listenTo(`${server.url}/versions/${version}/convergence`, {
    authorization: `Bearer ${bearer}`,
  });
}

async function beat(gateway: string, fields: Partial<Heartbeat>): Promise<void> {
  const now = Date.now();
  const heartbeat: Heartbeat = {
    schema: 1,
    environment: control.environment,
    gateway,
    boot: "boot-0001",
    atMs: now,
    startedAtMs: now - 60_000,
    build: "test",
    applied: null,
    refused: null,
    checkedAgoMs: 0,
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
  await inTransaction(control.db, (tx) => storeHeartbeat(tx, { heartbeat, receivedMs: now }));
}

const applied = (epoch: number, version: number) => ({
  epoch,
  version,
  hash: "a".repeat(64),
  appliedAtMs: Date.now(),
  source: "push" as const,
});

const stateOf =
  (gateway: string, of: Convergence["gateways"][number]["state"]) => (data: unknown) =>
    ConvergenceSchema.parse(data).gateways.some(({ id, state }) => id === gateway && state === of);

test("a program follows a version: who is behind and why, who refused, until every gateway has it", async () => {
  const ctx = withActor(control, SYSTEM);
  const { epoch } = await control.db.installation.findFirstOrThrow();
  const made = await setRuleMode(ctx, { id: "new-links-free", mode: "off", reason: "test" });
  const before = made.version - 1;
  await beat("gw-1", { applied: applied(epoch, before) });
  await beat("gw-2", { applied: applied(epoch, before), error: "Redis is not connected" });
  const program = await follow(made.version);
  const { data } = await program.next("state", stateOf("gw-2", "pending"));
  expect(ConvergenceSchema.parse(data).gateways[1]?.reason).toBe("Redis is not connected");

  await beat("gw-1", { applied: applied(epoch, made.version) });
  await program.next("state", stateOf("gw-1", "applied"));
  const refused = { epoch, version: made.version, reason: "it requires limits/kept" };
  await beat("gw-2", { applied: applied(epoch, before), refused });
  const { data: then } = await program.next("state", stateOf("gw-2", "refused"));
  expect(ConvergenceSchema.parse(then).gateways[1]?.reason).toBe(refused.reason);

  await beat("gw-2", { applied: applied(epoch, made.version) });
  expect((await program.next("end")).data).toEqual({ reason: "done" });
  expect(program.heard.at(-2)?.data).toMatchObject({ converged: true, live: 2, applied: 2 });
  await waitFor(() => program.isOver());
});

test("what cannot be followed is refused before a stream begins, and a revoked token follows no further", async () => {
  const unknown = await follow(999);
  await waitFor(() => unknown.isOver());
  expect(unknown.status()).toBe(404);
  const nobody = await follow(1, "hgt_unknown");
  await waitFor(() => nobody.isOver());
  expect(nobody.status()).toBe(401);

  const ctx = withActor(control, SYSTEM);
  const { version } = await setRuleMode(ctx, {
    id: "new-links-free",
    mode: "shadow",
    reason: "test",
  });
  const made = await createApiToken(ctx, { name: randomUUID(), scopes: ["read"] });
  const program = await follow(version, made.token);
  await program.next("state");
  await control.db.apiToken.update({ where: { id: made.id }, data: { revokedAt: new Date() } });
  expect((await program.next("end")).data).toEqual({ reason: "signed out" });
});
