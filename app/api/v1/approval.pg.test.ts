import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
beforeAll(async () => {
  api = await openConsoleApi();
});
afterAll(() => api.close());

const limit = {
  kind: "rate",
  algorithm: "token-bucket",
  default: { rate: 5, per: "1m", burst: 5 },
};

test("an enforce is 202 with a change request, once, and the token that asked cannot approve it", async () => {
  const alone = await api.call("PUT /approval", { body: { required: true } });
  expect(alone.status).toBe(409);
  await api.control.db.user.createMany({
    data: ["pat", "ada"].map((id) => ({ id, name: id, email: `${id}@x.test`, role: "publisher" })),
  });
  const rule = { name: "Ip", countBy: ["ip"], limit, mode: "shadow" };
  await api.call("PUT /draft/rules/ip", { body: rule });
  const shadow = await api.call("POST /publish", { body: { message: "shadow", baseVersion: 1 } });
  expect(shadow.status).toBe(201);
  const on = await api.call("PUT /approval", { body: { required: true } });
  expect(on.json).toEqual({ required: true });

  const body = { mode: "enforce", reason: "seen", acknowledgeGaps: true };
  const headers = { "idempotency-key": "enforce-once" };
  const first = await api.call("POST /rules/ip/mode", { body, headers });
  expect(first).toMatchObject({ status: 202, json: { changeRequest: { needs: 1 } } });
  const again = await api.call("POST /rules/ip/mode", { body, headers });
  expect(again).toMatchObject({ status: 202, json: first.json });
  expect((await api.call("GET /rules/ip")).json).toMatchObject({ mode: "shadow" });

  const { items } = (await api.call("GET /change-requests?state=open")).json;
  expect(items).toMatchObject([{ because: [{ rule: "ip", why: "shadow → enforce" }] }]);
  const [{ id, contentHash }] = items as [{ id: string; contentHash: string }];
  const own = await api.call(`POST /change-requests/${id}/approve`, { body: { contentHash } });
  expect(own.status).toBe(403);
  expect(own.json.detail).toContain("only a person approves");
  expect((await api.call(`POST /change-requests/${id}/withdraw`)).json.state).toBe("withdrawn");
});
