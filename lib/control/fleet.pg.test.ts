import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../clock";
import { type Heartbeat, HeartbeatSchema } from "../core/heartbeat";
import { inTransaction } from "../db/client";
import { createTestControl, EDITOR, GATEWAY, type TestControl, VIEWER } from "../testing/control";
import { failureOf } from "../testing/failure";
import {
  acknowledgeAlert,
  dismissGateway,
  getConvergence,
  getOverview,
  getRule,
  listAlerts,
  listAudit,
  listGateways,
  listRules,
  listVersions,
  setRuleMode,
} from ".";
import { bannersOf } from "./get-overview";
import { raiseAlert } from "./raise-alert";
import { readCoverage } from "./read-coverage";
import { resolveAlert } from "./resolve-alert";
import { storeHeartbeat } from "./store-heartbeat";

const clock = new ManualClock(Date.now());
let world: TestControl;
let version: number;
beforeAll(async () => {
  world = await createTestControl({ demo: true, clock });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.control.db.gateway.deleteMany();
  await world.control.db.gatewayApply.deleteMany();
  await world.control.db.alert.deleteMany();
  clock.advance(60_000);
  const { mode } = await getRule(world.ctx, { id: "new-links-free" });
  const made = await setRuleMode(world.ctx, {
    id: "new-links-free",
    mode: mode === "off" ? "shadow" : "off",
    reason: "a version",
  });
  version = made.version;
});

/** A gateway says what it runs. `at`: ms after the version's commit. */
async function beat(
  gateway: string,
  applied: number | null,
  fields: Partial<Heartbeat> & { at?: number } = {},
) {
  const { at = 100, ...rest } = fields;
  const row = await world.control.db.version.findUniqueOrThrow({
    where: { number: applied ?? version },
  });
  const nowMs = clock.nowMs();
  const heartbeat = HeartbeatSchema.parse({
    schema: 1,
    environment: "test",
    gateway,
    boot: "boot-0001",
    atMs: nowMs,
    startedAtMs: nowMs - 1000,
    build: "1",
    applied:
      applied === null
        ? null
        : {
            epoch: row.epoch,
            version: applied,
            hash: row.hash,
            appliedAtMs: row.createdAt.getTime() + at,
            source: "push",
          },
    refused: null,
    checkedAgoMs: 10,
    directory: { epoch: row.epoch, seq: 1, complete: true },
    mode: "shared",
    modeSinceMs: nowMs,
    error: null,
    requestsPerSecond: 12,
    clockOffsetMs: 0,
    state: "serving",
    features: [],
    ...rest,
  });
  await inTransaction(world.control.db, (tx) =>
    storeHeartbeat(tx, { heartbeat, receivedMs: nowMs }),
  );
}

test("converged is when every live gateway applied the version and none is silent", async () => {
  const { ctx } = world;
  const look = async () => {
    const { live, applied, silent, converged } = await getConvergence(ctx, { number: version });
    return { live, applied, silent, converged };
  };
  expect(await look()).toEqual({ live: 0, applied: 0, silent: 0, converged: false });
  await beat("gw-1", version);
  await beat("gw-2", version - 1);
  expect(await look()).toEqual({ live: 2, applied: 1, silent: 0, converged: false });
  await beat("gw-2", version, { at: 250 });
  expect(await look()).toEqual({ live: 2, applied: 2, silent: 0, converged: true });
  const whole = await getConvergence(ctx, { number: version });
  expect(whole.tookMs).toBe(250);
  expect(whole.gateways).toMatchObject([
    { id: "gw-1", state: "applied", tookMs: 100 },
    { id: "gw-2", state: "applied", tookMs: 250 },
  ]);
  clock.advance(16_000);
  await beat("gw-1", version);
  expect(await look()).toEqual({ live: 1, applied: 1, silent: 1, converged: false });
  await beat("gw-2", version, { state: "drained" });
  expect(await look()).toEqual({ live: 1, applied: 1, silent: 0, converged: true });
});

test("a gateway that was drained rests until it speaks again; one that fell silent does not", async () => {
  const fromMs = clock.nowMs();
  await beat("gw-1", version);
  await beat("gw-2", version);
  await beat("gw-2", version, { state: "drained" });
  await beat("gw-2", version, { state: "drained" });
  clock.advance(600_000);
  const toMs = clock.nowMs() + 1;
  await beat("gw-1", version, { boot: "00000000000000b2" });
  await beat("gw-2", version, { boot: "00000000000000b2" });
  await beat("gw-2", version, { boot: "00000000000000b2" });
  const { gateways } = await readCoverage(world.control.db, { fromMs, toMs, nowMs: toMs });
  expect(Object.fromEntries(gateways.map(({ id, rests }) => [id, rests]))).toEqual({
    "gw-1": [],
    "gw-2": [{ fromMs, toMs: toMs - 1 }],
  });
});

test("a version that was passed counts as applied, and a refusal shows its reason", async () => {
  const { ctx } = world;
  const { epoch } = await getOverview(ctx);
  await beat("gw-1", version);
  await beat("gw-2", version - 1, {
    refused: { epoch, version, reason: "it requires lists/deny" },
  });
  const old = await getConvergence(ctx, { number: version - 1 });
  expect(old.gateways).toMatchObject([
    { id: "gw-1", state: "superseded", version },
    { id: "gw-2", state: "applied" },
  ]);
  expect(old.converged).toBe(true);
  const now = await getConvergence(ctx, { number: version });
  expect(now.gateways[1]).toMatchObject({ state: "refused", reason: "it requires lists/deny" });
  const { items, convergence } = await listGateways(ctx);
  expect(convergence).toMatchObject({ live: 2, applied: 1, converged: false });
  expect(items[1]).toMatchObject({ behind: 1, refused: { version }, requestsPerSecond: 12 });
  const rows = (await listVersions(ctx, { limit: 2 })).items;
  expect(rows.map((row) => [row.version, row.live, row.convergence.applied])).toEqual([
    [version, true, 1],
    [version - 1, false, 1],
  ]);
});

test("only a gateway that is gone is dismissed, and it comes back when it is heard again", async () => {
  const { ctx } = world;
  await beat("gw-9", version);
  const live = await failureOf(dismissGateway(ctx, { id: "gw-9" }), "conflict");
  expect(live.message).toContain("gw-9 is live");
  clock.advance(3_600_000);
  expect((await getOverview(ctx)).fleet).toEqual({ live: 0, applied: 0, silent: 1 });
  const row = await dismissGateway(ctx, { id: "gw-9", reason: "scaled down" });
  expect(row.state).toBe("dismissed");
  expect((await listGateways(ctx)).items).toEqual([]);
  const [audit] = (await listAudit(ctx, { object: "gw-9" })).items;
  expect(audit).toMatchObject({ action: "gateway.dismiss", reason: "scaled down" });
  await beat("gw-9", version);
  expect((await listGateways(ctx)).items).toMatchObject([{ id: "gw-9", state: "live" }]);
  await failureOf(dismissGateway(ctx, { id: "nothing" }), "not_found");
  await failureOf(dismissGateway(world.as(VIEWER), { id: "gw-9" }), "forbidden");
});

test("a degraded gateway is an open alert and a banner on every page, until it is over", async () => {
  const { ctx } = world;
  await beat("gw-1", version, { mode: "local", error: "Redis does not answer" });
  const overview = await getOverview(ctx);
  expect(overview).toMatchObject({ version, demo: true, openAlerts: 1, draftChanges: 0 });
  expect(overview.banners).toMatchObject([
    {
      severity: "critical",
      text: "Gateway gw-1 limits by its own share of each limit: Redis does not answer",
      href: "/gateways",
    },
  ]);
  const [alert] = (await listAlerts(ctx, { open: true })).items;
  const taken = await acknowledgeAlert(world.as(EDITOR), { id: alert?.id ?? "" });
  expect(taken).toMatchObject({ acknowledgedBy: "Eli", resolvedAt: null });
  expect((await acknowledgeAlert(ctx, { id: taken.id })).acknowledgedBy).toBe("Eli");
  expect((await listAudit(ctx, { action: "alert.acknowledge" })).items).toHaveLength(1);
  clock.advance(1000);
  await beat("gw-1", version);
  expect((await getOverview(ctx)).banners).toEqual([]);
  await failureOf(acknowledgeAlert(ctx, { id: "nothing" }), "not_found");
  await failureOf(acknowledgeAlert(world.as(VIEWER), { id: taken.id }), "forbidden");
});

test("alerts come open ones first, in pages that repeat nothing", async () => {
  const { ctx, control } = world;
  const nowMs = clock.nowMs();
  for (let i = 0; i < 6; i += 1) {
    const alert = { kind: "gateway-silent", subject: `s${i}`, message: `m${i}` } as const;
    await raiseAlert(control.db, { ...alert, atMs: nowMs + i });
    if (i % 2 === 0)
      await inTransaction(control.db, (tx) =>
        resolveAlert(tx, { kinds: ["gateway-silent"], subject: `s${i}`, atMs: nowMs + 100 + i }),
      );
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAlerts(ctx, { limit: 2, cursor });
    expect(page.open).toBe(3);
    seen.push(...page.items.map(({ subject }) => subject));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(seen).toEqual(["s5", "s3", "s1", "s4", "s2", "s0"]);
});

test("a trouble that many later ones follow keeps its banner, and all are counted", async () => {
  const { ctx, control } = world;
  const atMs = clock.nowMs();
  const { openAlerts } = await getOverview(ctx);
  await raiseAlert(control.db, { kind: "redis-down", subject: "redis", message: "Redis!", atMs });
  for (let i = 0; i < 110; i += 1) {
    const alert = { kind: "gateway-degraded", subject: `many-${i}`, message: `d${i}` } as const;
    await raiseAlert(control.db, { ...alert, atMs: atMs + 1 + i });
  }
  const overview = await getOverview(ctx);
  expect(overview.openAlerts).toBe(openAlerts + 111);
  const texts = overview.banners.map(({ text }) => text);
  expect(texts).toContain("Redis!");
  expect(texts).toContain("d109 (and 109 more like it)");
});

test("banners are one a kind, the worst first, and say that Redis is away before an alert does", () => {
  expect(
    bannersOf(
      [
        {
          kind: "gateway-silent",
          subject: "a",
          severity: "warning",
          message: "a is silent",
          count: 2,
        },
      ],
      false,
    ).map(({ severity, text }) => `${severity}: ${text}`),
  ).toEqual([
    expect.stringContaining("critical: Redis does not answer"),
    "warning: a is silent (and 1 more like it)",
  ]);
});

test("a rule's row says what it refuses now, and since when it is as it is", async () => {
  const { ctx, control } = world;
  const running = Math.floor(clock.nowMs() / 60_000) * 60_000;
  const row = (ago: number, rejections: number) => ({
    minute: new Date(running - ago * 60_000),
    ruleId: "per-key-rate",
    revision: 1,
    mode: "enforce",
    lane: "live",
    plan: "free",
    route: "other",
    requests: 100,
    rejections,
    newly: 0,
    kept: 0,
  });
  await control.db.countMinute.createMany({
    data: [row(0, 3), row(1, 5), row(59, 7), row(60, 1000), row(1440, 11)],
  });
  const { items } = await listRules(ctx, { q: "Per-Key" });
  expect(items).toMatchObject([
    {
      id: "per-key-rate",
      sinceVersion: 1,
      hits: { mode: "enforce", lastHour: 15, requestsLastHour: 300, yesterday: 11 },
    },
  ]);
  const hits = items[0]?.hits;
  expect(hits?.sparkline).toHaveLength(60);
  expect([hits?.sparkline[0], hits?.sparkline[58], hits?.sparkline[59]]).toEqual([7, 5, 3]);
  expect(hits?.perMinuteNow).toBeGreaterThan(3.9);
  const flipped = await getRule(ctx, { id: "new-links-free" });
  expect(flipped.sinceVersion).toBe(version);
  expect(flipped.revisions.map(({ revision, version: first }) => [revision, first])).toEqual([
    [2, 2],
    [1, 1],
  ]);
  expect(flipped.revisions[0]?.change).toContain("mode shadow → off");
});

test("pages of rules, versions and audit rows repeat nothing; wrong queries are refused", async () => {
  const { ctx } = world;
  const first = await listRules(ctx, { limit: 2 });
  const rest = await listRules(ctx, { limit: 2, cursor: first.next });
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual([
    "anonymous-by-ip",
    "new-links-free",
    "per-key-rate",
  ]);
  expect(rest.next).toBeUndefined();
  const audits = await listAudit(ctx, { limit: 1, action: "rule." });
  const older = await listAudit(ctx, { limit: 1, action: "rule.", cursor: audits.next });
  expect(Number(older.items[0]?.id)).toBeLessThan(Number(audits.items[0]?.id));
  const enforced = await listRules(ctx, { mode: "enforce" });
  expect(enforced).toMatchObject({ total: 3, items: [{ mode: "enforce" }, { mode: "enforce" }] });
  await failureOf(listRules(ctx, { limit: 0 }), "invalid");
  await failureOf(listVersions(ctx, { cursor: "nonsense" }), "invalid");
  await failureOf(getConvergence(ctx, { number: 9_999 }), "not_found");
  await failureOf(getOverview(world.as(GATEWAY)), "forbidden");
});
