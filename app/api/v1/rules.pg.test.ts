import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
beforeAll(async () => {
  api = await openConsoleApi();
});
afterAll(() => api.close());

const rule = {
  name: "Links per address",
  match: { methods: ["POST"], routes: ["/v1/links/**"] },
  countBy: ["ip"],
  limit: {
    kind: "rate",
    algorithm: "token-bucket",
    default: { rate: 10, per: "1h", burst: 10 },
    perPlan: {
      enterprise: "unlimited",
      paid: { rate: 1_000_000_000, per: "30d", burst: 999_999_999 },
    },
  },
};

async function versionNow(): Promise<number> {
  const { json } = await api.call("GET /versions?limit=1");
  return Number(json.current);
}

async function publish(message: string, more: object = {}) {
  return api.call("POST /publish", { body: { message, baseVersion: await versionNow(), ...more } });
}

test("a rule goes from the draft to a version, to enforce, and back", async () => {
  const none = await api.call("GET /draft");
  expect(none.json).toMatchObject({ baseVersion: 1, changes: [] });

  const saved = await api.call("PUT /draft/rules/links-per-ip", { body: rule });
  expect(saved.json).toMatchObject({ baseVersion: 1, change: { op: "put", edit: 1 } });
  const draft = await api.call("GET /draft");
  expect(draft.json).toMatchObject({ changes: [{ kind: "rule", id: "links-per-ip" }] });

  const published = await publish("links, in shadow");
  expect(published).toMatchObject({ status: 201, json: { version: 2, kind: "publish" } });
  expect((await api.call("GET /draft")).json).toMatchObject({ baseVersion: 2, changes: [] });
  expect((await api.call("GET /rules")).json).toMatchObject({
    total: 1,
    version: 2,
    items: [{ id: "links-per-ip", mode: "shadow", revision: 1 }],
  });

  const early = await api.call("POST /rules/links-per-ip/mode", {
    body: { mode: "enforce", reason: "scrapers" },
  });
  expect(early).toMatchObject({
    status: 409,
    json: { code: "conflict", reason: "evidence", evidence: [{ rule: "links-per-ip" }] },
  });
  const enforced = await api.call("POST /rules/links-per-ip/mode", {
    body: { mode: "enforce", reason: "scrapers", acknowledgeGaps: true },
  });
  expect(enforced).toMatchObject({ status: 201, json: { version: 3, kind: "mode" } });
  expect(enforced.json.acknowledgedGaps).not.toEqual([]);

  const back = await api.call("POST /rules/links-per-ip/rollback", { body: { revision: 1 } });
  expect(back).toMatchObject({ status: 201, json: { version: 4, kind: "rollback" } });
  expect((await api.call("GET /rules/links-per-ip")).json).toMatchObject({
    mode: "shadow",
    version: 4,
  });

  const audit = await api.call("GET /audit?kind=rule&object=links-per-ip");
  expect(JSON.stringify(audit.json)).toContain("scrapers");
});

test("numbers come back exactly as they were sent, and larger ones are refused with the bound", async () => {
  expect((await api.call("GET /rules/links-per-ip")).text).toContain(
    '"paid":{"rate":1000000000,"per":"30d","burst":999999999}',
  );
  for (const rate of [
    "1000000001",
    "3000000000",
    "9007199254740993",
    "1e15",
    "32e100",
    "0",
    "1.5",
    "-1",
  ]) {
    const raw = JSON.stringify(rule).replace('"rate":10,', `"rate":${rate},`);
    const { status, json } = await api.call("PUT /draft/rules/links-per-ip", { raw });
    expect(status).toBe(422);
    expect(JSON.stringify(json.errors)).toContain("1..1000000000");
  }
});

test("a version is told, compared, and brought back whole", async () => {
  const version = await api.call("GET /versions/3");
  expect(version.json).toMatchObject({ version: 3, kind: "mode", live: false, parent: 2 });
  const diff = await api.call("GET /versions/1/diff/3");
  expect(diff.json).toMatchObject({
    from: 1,
    to: 3,
    summary: { added: 1, changed: 0, removed: 0 },
  });
  const back = await api.call("POST /versions/1/rollback");
  expect(back).toMatchObject({ status: 201, json: { kind: "rollback", restores: 1 } });
  expect((await api.call("GET /rules")).json).toMatchObject({ total: 0 });
  const convergence = await api.call(`GET /versions/${back.json.version}/convergence`);
  expect(convergence.json).toMatchObject({ version: back.json.version, live: 0, gateways: [] });
});

test("pages of versions lose and repeat nothing", async () => {
  const seen: unknown[] = [];
  let address = "/versions?limit=2";
  for (;;) {
    const { json } = await api.call(`GET ${address}`);
    seen.push(...(json.items as { version: number }[]).map(({ version }) => version));
    if (json.next === undefined) break;
    address = `/versions?limit=2&cursor=${encodeURIComponent(String(json.next))}`;
  }
  const newest = await versionNow();
  expect(seen).toEqual(Array.from({ length: newest }, (_, i) => newest - i));
});

test("whoever publishes from an older base is told what happened since, and loses nothing", async () => {
  const base = await versionNow();
  await api.call("PUT /draft/rules/mine", { body: rule });
  await api.call(`POST /versions/${base - 1}/rollback`);
  const late = await api.call("POST /publish", { body: { message: "mine", baseVersion: base } });
  expect(late).toMatchObject({
    status: 409,
    json: {
      reason: "stale",
      current: base + 1,
      baseVersion: base,
      conflicts: [],
      published: [{ version: base + 1, actor: { name: "Bootstrap token" } }],
    },
  });
  const rebased = await api.call("POST /draft/rebase");
  expect(rebased.json).toMatchObject({
    baseVersion: base + 1,
    changes: [{ id: "mine" }],
    conflicts: [],
  });
  expect((await publish("mine")).status).toBe(201);
});

test("expectVersion guards the one-click changes", async () => {
  const now = await versionNow();
  for (const [call, body] of [
    ["POST /rules/mine/mode", { mode: "off", reason: "r", expectVersion: now - 1 }],
    ["POST /rules/mine/rollback", { revision: 1, expectVersion: now - 1 }],
    ["POST /versions/1/rollback", { expectVersion: now - 1 }],
  ] as const) {
    expect(await api.call(call, { body })).toMatchObject({
      status: 409,
      json: { reason: "stale", current: now },
    });
  }
  expect(await versionNow()).toBe(now);
});

test("the second save of one object in two tabs is a conflict", async () => {
  const put = (name: string, edit: number) =>
    api.call(`PUT /draft/rules/tabs?edit=${edit}`, { body: { ...rule, name } });
  expect((await put("first", 0)).json).toMatchObject({ change: { edit: 1 } });
  expect((await put("second", 0)).status).toBe(409);
  expect((await put("third", 1)).json).toMatchObject({ change: { edit: 2 } });
});

test("plans, lists, routes and settings are edited in the same draft", async () => {
  const gold = { name: "Gold", rank: 3, description: "" };
  expect((await api.call("PUT /draft/plans/gold", { body: gold })).status).toBe(200);
  expect((await api.call("PUT /draft/routes", { body: ["/v1/links/:id"] })).status).toBe(200);
  const settings = await api.call("PUT /draft/settings", { body: { caseInsensitivePaths: true } });
  expect(settings.status).toBe(200);
  const list = await api.call("PUT /draft/lists/deny", {
    body: [{ value: "198.51.100.0/24", reason: "scanner" }],
  });
  expect(list.status).toBe(200);
  const { json } = await api.call("GET /draft");
  const kinds = (json.changes as { kind: string }[]).map(({ kind }) => kind);
  expect([...new Set(kinds)].sort()).toEqual(["lists", "plan", "routes", "rule", "settings"]);
  for (const path of ["/draft/lists/deny", "/draft/routes", "/draft/settings", "/draft/plans/gold"])
    expect((await api.call(`DELETE ${path}`)).status).toBe(200);
  expect((await api.call("POST /draft/discard")).json).toMatchObject({ changes: [] });
  expect((await api.call("GET /plans")).json).toMatchObject({
    items: [{ id: "free" }, { id: "paid" }, { id: "enterprise" }, { id: "anonymous" }],
  });
});

test("where gateways read the client from is a setting, checked when it is saved", async () => {
  const save = (identity: object) => api.call("PUT /draft/settings", { body: { identity } });
  const bad = await save({ keyHeaders: ["x-app-key", "Host"], trustedHeader: "x-app-key" });
  expect(bad.status).toBe(422);
  expect((bad.json.errors as { path: string }[]).map(({ path }) => path)).toEqual([
    "identity.keyHeaders.1",
    "identity.trustedHeader",
  ]);
  expect((await save({ keyHeaders: ["X-App-Key"], trustedHeader: "x-consumer" })).status).toBe(200);
  const { json } = await api.call("GET /draft");
  expect(json.changes).toMatchObject([
    {
      kind: "settings",
      after: { identity: { keyHeaders: ["x-app-key"], trustedHeader: "x-consumer" } },
      diff: [
        { sentence: "keys are read from x-api-key, then authorization → x-app-key", loud: true },
        { sentence: "trusted hops name clients in no header → x-consumer", loud: true },
      ],
    },
  ]);
  expect((await api.call("POST /draft/discard")).json).toMatchObject({ changes: [] });
});

test("lists go live by a publish, and say what they hold and drop", async () => {
  const deny = [{ value: "198.51.100.0/24", reason: "scanner" }];
  expect((await api.call("PUT /draft/lists/deny", { body: { items: deny } })).status).toBe(200);
  const bad = await api.call("PUT /draft/lists/flood", {
    body: [{ value: "key:k1", perSecond: 0 }],
  });
  expect(bad.status).toBe(422);
  const errors = bad.json.errors as { path: string }[];
  expect(errors.map(({ path }) => path)).toEqual(["0.value", "0.perSecond"]);
  expect((await api.call("PUT /draft/lists/deny")).status).toBe(422);
  expect((await api.call("PUT /draft/lists/vip", { body: [] })).status).toBe(422);
  const baseVersion = await versionNow();
  const published = await api.call("POST /publish", { body: { message: "deny", baseVersion } });
  expect(published).toMatchObject({ status: 201, json: { version: baseVersion + 1 } });
  expect((await api.call("GET /lists")).json).toMatchObject({
    version: baseVersion + 1,
    lists: { deny, allow: [], flood: [] },
    hits: [{ rule: "_deny", lastHour: 0 }, { rule: "_flood" }],
  });
  const report = await api.call("GET /rules/_deny/report");
  expect(report).toMatchObject({ status: 200, json: { rule: "_deny", mode: "enforce" } });
  expect((await api.call("GET /rules/_deny/hits")).json).toMatchObject({ items: [] });
  await api.call(`POST /versions/${baseVersion}/rollback`, { body: {} });
});

test("the report and the log of a rule say what stands behind them", async () => {
  const report = await api.call("GET /rules/mine/report");
  expect(report.json).toMatchObject({
    rule: "mine",
    mode: "shadow",
    requests: 0,
    share: null,
    coverage: { gateways: 0, enough: false },
  });
  expect((await api.call("GET /rules/mine/hits")).json).toMatchObject({ items: [] });
  expect(
    (await api.call("GET /rules/mine/report?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"))
      .status,
  ).toBe(422);
});
