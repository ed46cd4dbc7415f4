import { afterAll, beforeAll, expect, test } from "vitest";
import type { Operation } from "@/app/_server/operation";
import { ROUTES } from "@/app/_server/route-table";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
beforeAll(async () => {
  api = await openConsoleApi();
});
afterAll(() => api.close());

const operations = Object.entries(ROUTES).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
    name: `${method} ${path}`,
    call: `${method} ${path.replace("{n}", "1").replace("{b}", "1").replace("{name}", "deny").replace("{id}", "nobody")}`,
    operation,
  })),
);
const guarded = operations.filter(({ operation }) => operation.scope !== "none");
const forPeople = guarded.filter(({ operation }) => operation.scope !== "gateway");
const withBody = operations.filter(({ operation }) => operation.body !== undefined);
const withQuery = operations.filter(({ operation }) => operation.query !== undefined);

test.each(guarded)("$name takes a token", async ({ call }) => {
  const { status, headers } = await api.call(call, { as: null });
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toBe('Bearer realm="headgate"');
});

test.each(guarded)("$name knows no other token", async ({ call }) => {
  expect((await api.call(call, { token: "hgt_made-up" })).status).toBe(401);
});

test.each(forPeople)(
  "$name is not for gateways, and says which scope it takes",
  async ({ call, operation }) => {
    const { status, json } = await api.call(call, {
      as: "gateway",
      ...(operation.body !== undefined && { body: {} }),
    });
    expect(status).toBe(403);
    expect(json.detail).toContain(`or a token of scope ${operation.scope}`);
  },
);

test.each(withBody)("$name refuses what is not JSON with 400 and a sentence", async ({ call }) => {
  const { status, json } = await api.call(call, { raw: '{"a": }' });
  expect(status).toBe(400);
  expect(json.detail).toContain("the body is not JSON");
});

test.each(withBody)("$name refuses a wrong body with 422 and the fields", async ({ call }) => {
  const { status, json } = await api.call(call, { body: { nonsense: 1 } });
  expect(status).toBe(422);
  expect(json.errors).not.toEqual([]);
});

test.each(withQuery)("$name refuses an unknown or wrong query", async ({ call, operation }) => {
  const { status } = await api.call(`${call}?limit=0&edit=x&from=never&since=x`, {
    as: operation.scope === "gateway" ? "gateway" : "admin",
    ...(operation.body !== undefined && { body: {} }),
  });
  expect(status).toBe(422);
});

const refused: [what: string, call: string, given: object, status: number, says: string][] = [
  [
    "a body beyond the bound",
    "POST /keys",
    { raw: `"${"a".repeat(1_100_000)}"` },
    413,
    "at most 1048576 bytes",
  ],
  [
    "a form",
    "POST /keys",
    { raw: "plan=free", headers: { "content-type": "application/x-www-form-urlencoded" } },
    415,
    "got application/x-www-form-urlencoded",
  ],
  [
    "another authorization scheme",
    "GET /rules",
    { as: null, headers: { authorization: "Basic YTpi" } },
    401,
    "Bearer <token>",
  ],
  ["a path that is not there", "GET /rule", {}, 404, "there is no /api/v1/rule"],
  [
    "a write to a path that is not there",
    "DELETE /rules/a/b",
    {},
    404,
    "there is no /api/v1/rules/a/b",
  ],
  [
    "a version that is no number",
    "GET /versions/latest",
    {},
    422,
    'n must be the number of a version, got "latest"',
  ],
  ["a version that is not there", "GET /versions/99", {}, 404, "99"],
  ["a rule that is not there", "GET /rules/nobody", {}, 404, "nobody"],
];

test.each(refused)("%s is refused with a sentence", async (_, call, given, status, says) => {
  const answer = await api.call(call, given);
  expect(answer.status).toBe(status);
  expect(answer.json.detail).toContain(says);
});

test("a method that a path does not have is 405, and Allow names those that it has", async () => {
  const { status, headers, json } = await api.call("PUT /keys");
  expect(status).toBe(405);
  expect(headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
  expect(json.detail).toBe("/api/v1/keys takes GET, HEAD, POST, OPTIONS, got PUT");
  expect((await api.call("OPTIONS /keys")).headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
});

test("the scheme of a token is read in any case, with blanks around", async () => {
  const headers = { authorization: "bEARER \t hgb_for-tests-only \t" };
  expect((await api.call("GET /plans", { as: null, headers })).status).toBe(200);
});

test("health and the documentation need no token", async () => {
  const health = await api.call("GET /health", { as: null });
  expect(health).toMatchObject({ status: 200, json: { postgres: "ok", redis: "ok", version: 1 } });
  expect((await api.call("GET /openapi.json", { as: null })).json.openapi).toBe("3.1.0");
});

test("a failure that nobody foresaw tells nothing but its reference", async () => {
  await api.control.db.$executeRawUnsafe("ALTER TABLE alert RENAME TO alert_away");
  try {
    const { status, json } = await api.call("GET /alerts");
    expect(status).toBe(500);
    expect(json.detail).toBe(
      `something failed that should not: the log has it under ${json.requestId}`,
    );
    expect(JSON.stringify(json)).not.toContain("alert_away");
  } finally {
    await api.control.db.$executeRawUnsafe("ALTER TABLE alert_away RENAME TO alert");
  }
});
