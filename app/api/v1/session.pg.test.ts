import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureAdmin, signIn } from "@/lib/control";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
let cookie: string;
beforeAll(async () => {
  api = await openConsoleApi();
  const credentials = { email: "dana@example.test", password: "correct horse" };
  await ensureAdmin(api.control, { ...credentials, resetPassword: true });
  const headers = new Headers({ origin: new URL(api.control.config.publicUrl ?? "").origin });
  const { cookies } = await signIn(api.control, { ...credentials, headers });
  cookie = cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join("; ");
});
afterAll(() => api.close());

const get = (headers: Record<string, string>) => api.call("GET /rules", { as: null, headers });

test("who is signed in may read from the console's own pages", async () => {
  expect((await get({ cookie })).status).toBe(200);
  expect((await get({ cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
});

test("a page of another site reads nothing with our cookie", async () => {
  for (const site of ["cross-site", "same-site"]) {
    const { status, json } = await get({ cookie, "sec-fetch-site": site });
    expect(status).toBe(403);
    expect(json.detail).toContain(site);
  }
});

test("a cookie alone changes nothing: that takes a token", async () => {
  const { status, json } = await api.call("POST /keys", {
    as: null,
    headers: { cookie, origin: "http://localhost:3000" },
    body: { plan: "free" },
  });
  expect(status).toBe(403);
  expect(json.detail).toContain("send a token");
  expect((await api.call("GET /keys")).json).toMatchObject({ total: 0 });
});

test("a cookie that is not ours is nobody", async () => {
  expect((await get({ cookie: `${cookie.split("=")[0]}=made-up` })).status).toBe(401);
});

test("a wrong token is refused even with a good cookie", async () => {
  expect((await get({ cookie, authorization: "Bearer made-up" })).status).toBe(401);
});
