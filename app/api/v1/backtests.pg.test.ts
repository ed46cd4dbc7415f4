import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
beforeAll(async () => {
  api = await openConsoleApi({ demo: true });
});
afterAll(() => api.close());

const line = `192.0.2.1 - - [30/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5\n`;

test("a log is uploaded as it is, a backtest on it asked for, cancelled and deleted", async () => {
  const text = { "content-type": "text/plain" };
  const sent = await api.call("POST /backtest-logs?name=up.log", { raw: line, headers: text });
  expect(sent).toMatchObject({ status: 201, json: { name: "up.log", size: line.length } });
  const log = String(sent.json.id);
  expect((await api.call("GET /backtest-logs")).json).toMatchObject({ items: [{ id: log }] });
  const empty = await api.call("POST /backtest-logs", { raw: "", headers: text });
  expect(empty).toMatchObject({ status: 422, json: { detail: expect.stringContaining("empty") } });

  const body = { rule: "anonymous-by-ip", source: { kind: "log", log } };
  const made = await api.call("POST /backtests", { body });
  expect(made).toMatchObject({ status: 201, json: { state: "waiting", ruleset: "live" } });
  const id = String(made.json.id);
  expect((await api.call("GET /backtests?rule=anonymous-by-ip")).json).toMatchObject({
    items: [{ id, source: { kind: "log", name: "up.log" } }],
  });
  expect((await api.call(`GET /backtests/${id}`)).json).toMatchObject({
    judged: { id: "anonymous-by-ip" },
    result: null,
  });
  expect((await api.call(`GET /backtests/${id}/demand`)).status).toBe(404);
  expect((await api.call(`POST /backtests/${id}/cancel`)).json).toMatchObject({
    state: "cancelled",
  });
  expect((await api.call(`POST /backtests/${id}/cancel`)).status).toBe(409);
  expect((await api.call(`DELETE /backtests/${id}`)).status).toBe(200);
  expect((await api.call(`GET /backtests/${id}`)).status).toBe(404);
  expect((await api.call(`DELETE /backtest-logs/${log}`)).status).toBe(200);
});

test("what is wrong with a backtest is said of its field, and who may not ask is told", async () => {
  const bad = await api.call("POST /backtests", { body: { source: { kind: "cloud" } } });
  expect(bad).toMatchObject({ status: 422, json: { errors: [{ path: "source.kind" }] } });
  const source = { kind: "tape" };
  const nobody = await api.call("POST /backtests", { body: { rule: "nobody", source } });
  expect(nobody).toMatchObject({ status: 422, json: { errors: [{ path: "rule" }] } });
  expect((await api.call("POST /backtests", { as: "gateway", body: { source } })).status).toBe(403);
  expect((await api.call("POST /backtests", { as: null, body: { source } })).status).toBe(401);
});

test("the tape says what settings keep, and that there is none yet", async () => {
  expect((await api.call("GET /tape")).json).toMatchObject({
    enabled: true,
    percent: 100,
    requests: 0,
    clients: 0,
    sampling: null,
    firstAt: null,
    gateways: [],
  });
  const bad = await api.call("GET /tape?from=yesterday");
  expect(bad).toMatchObject({ status: 422, json: { errors: [{ path: "from" }] } });
});
