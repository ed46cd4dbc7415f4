import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
beforeAll(async () => {
  api = await openConsoleApi();
});
afterAll(() => api.close());

test("a channel's secret is shown once, it is tested, switched off, and deleted", async () => {
  const url = "http://127.0.0.1:9/hook";
  const made = await api.call("POST /webhooks", { body: { name: "pager", url } });
  expect(made).toMatchObject({ status: 201, json: { format: "json", enabled: true } });
  const { id, secret } = made.json as { id: string; secret: string };
  expect(secret).toMatch(/^whsec_/);
  const list = await api.call("GET /webhooks");
  expect(list.json).toMatchObject({ items: [{ id, url }] });
  expect(list.text).not.toContain(secret);

  const tested = await api.call(`POST /webhooks/${id}/test`);
  expect(tested.json).toMatchObject({ state: "failed", lastStatus: null });
  expect(tested.json.lastAnswer).toContain("HEADGATE_WEBHOOK_ALLOW_PRIVATE");
  const again = { body: { delivery: tested.json.id } };
  expect((await api.call(`POST /webhooks/${id}/redeliver`, again)).json).toMatchObject({
    state: "waiting",
  });
  expect((await api.call(`POST /webhooks/${id}/rotate`)).json.secret).not.toBe(secret);

  const off = await api.call(`PATCH /webhooks/${id}`, { body: { enabled: false } });
  expect(off.json).toMatchObject({ enabled: false, waiting: 0, deliveries: [{ state: "failed" }] });
  expect((await api.call(`POST /webhooks/${id}/redeliver`, again)).status).toBe(409);
  const bad = await api.call(`PATCH /webhooks/${id}`, { body: { kinds: ["moon"] } });
  expect(bad.status).toBe(422);
  expect((await api.call(`DELETE /webhooks/${id}`)).status).toBe(200);
  expect((await api.call(`POST /webhooks/${id}/test`)).status).toBe(404);
});
