import { afterAll, beforeAll, expect, test } from "vitest";
import { runIdempotent, withActor } from "@/lib/control";
import { inTransaction } from "@/lib/db/client";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";
import { failureOf } from "@/lib/testing/failure";

let api: ConsoleApi;
beforeAll(async () => {
  api = await openConsoleApi();
});
afterAll(() => api.close());

const withKey = (key: string) => ({ "idempotency-key": key });
const newKey = (key: string, body: object) =>
  api.call("POST /keys", { body, headers: withKey(key) });

test("a repeated POST gives the stored answer without the secret, and makes nothing more", async () => {
  const first = await newKey("make-acme", { plan: "free", customer: "acme" });
  expect(first).toMatchObject({ status: 201, json: { customer: "acme", key: expect.any(String) } });
  const again = await newKey("make-acme", { plan: "free", customer: "acme" });
  const { key, ...rest } = first.json;
  expect(again).toMatchObject({ status: 201, json: rest });
  expect(again.json).not.toHaveProperty("key");
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect((await api.call("GET /keys?customer=acme")).json.total).toBe(1);
  const rows = await api.control.db.idempotentRequest.findMany();
  expect(JSON.stringify(rows)).not.toContain(key);
});

test("another request under the same key is refused, and another token's key is its own", async () => {
  await newKey("make-bolt", { plan: "free", customer: "bolt" });
  const other = await newKey("make-bolt", { plan: "free", customer: "bolt", name: "second" });
  expect(other).toMatchObject({ status: 422, json: { code: "invalid" } });
  const path = await api.call("POST /draft/discard", { headers: withKey("make-bolt") });
  expect(path.status).toBe(422);
  const gateway = await api.call("POST /draft/discard", {
    as: "gateway",
    headers: withKey("make-bolt"),
  });
  expect(gateway.status).toBe(403);
  expect((await newKey("", { plan: "free" })).status).toBe(422);
});

test("of duplicates at one moment one is done, the others wait with 409 or get its answer", async () => {
  const body = { plan: "paid", customer: "crowd" };
  const answers = await Promise.all(Array.from({ length: 8 }, () => newKey("crowd", body)));
  const fresh = answers.filter(
    ({ status, headers }) => status === 201 && !headers.has("idempotency-replayed"),
  );
  expect(fresh).toHaveLength(1);
  for (const { status, json, headers } of answers.filter((each) => each.status !== 201)) {
    expect({ status, json }).toMatchObject({ status: 409, json: { reason: "in-progress" } });
    expect(headers.get("retry-after")).toBe("1");
  }
  expect((await api.call("GET /keys?customer=crowd")).json.total).toBe(1);
});

test("a refused request did nothing, so its key may be used for it again", async () => {
  const body = { message: "first", baseVersion: 1 };
  const send = () => api.call("POST /publish", { body, headers: withKey("publish-1") });
  expect(await send()).toMatchObject({ status: 409, json: { reason: "empty" } });
  await api.call("PUT /draft/plans/gold", { body: { name: "Gold", rank: 9 } });
  expect(await send()).toMatchObject({ status: 201, json: { version: 2 } });
  expect(await send()).toMatchObject({ status: 201, json: { version: 2 } });
  expect((await api.call("GET /versions")).json.current).toBe(2);
});

test("a process that died after its commit leaves no second effect, one that died before it is taken over", async () => {
  const actor = { type: "token", id: "t1", name: "T", scopes: ["admin"] } as const;
  let nowMs = Date.now();
  const clock = { ...api.control.clock, nowMs: () => nowMs, monotonicMs: () => nowMs };
  const ctx = { ...withActor(api.control, actor), clock };
  const request = { method: "POST", path: "/x", body: new Uint8Array(), secrets: [] };
  const made = { status: 201, answer: { made: 1 } };
  const never = new Promise<never>(() => {});

  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  void runIdempotent(ctx, {
    ...request,
    key: "after",
    act: async (marked) => {
      await inTransaction(marked.db, (tx) => tx.$queryRaw`SELECT 1 AS one`);
      begun();
      return never;
    },
  });
  await isBegun;
  nowMs += 61_000;
  const lost = await failureOf(
    runIdempotent(ctx, { ...request, key: "after", act: async () => made }),
    "conflict",
  );
  expect(lost).toMatchObject({ code: "conflict", details: { reason: "answer-lost" } });

  let commitLate = () => {};
  const goOn = new Promise<void>((resolve) => {
    commitLate = resolve;
  });
  const late = runIdempotent(ctx, {
    ...request,
    key: "before",
    act: async (marked) => {
      begun();
      await goOn;
      await inTransaction(marked.db, (tx) => tx.$queryRaw`SELECT 1 AS one`);
      return made;
    },
  });
  await expect
    .poll(() => api.control.db.idempotentRequest.count({ where: { key: "before" } }))
    .toBe(1);
  nowMs += 61_000;
  const taken = await runIdempotent(ctx, { ...request, key: "before", act: async () => made });
  expect(taken).toEqual({ ...made, replayed: false });
  commitLate();
  expect(await failureOf(late, "conflict")).toMatchObject({ details: { reason: "in-progress" } });
});

test("a draft's object is saved only over what its ETag saw, and made only where there is none", async () => {
  const plan = { name: "Silver", rank: 8 };
  const create = { "if-none-match": "*" };
  const put = (body: object, headers: Record<string, string>) =>
    api.call("PUT /draft/plans/silver", { body, headers });
  expect((await put(plan, create)).status).toBe(200);
  expect(await put(plan, create)).toMatchObject({ status: 412, json: { reason: "precondition" } });
  const seen = await api.call("GET /draft/plans/silver");
  const etag = seen.headers.get("etag") ?? "";
  expect(seen.json).toMatchObject({ kind: "plan", edit: 1, body: { name: "Silver" } });
  expect((await put({ ...plan, rank: 7 }, { "if-match": etag })).status).toBe(200);
  expect((await put({ ...plan, rank: 6 }, { "if-match": etag })).status).toBe(412);
  expect((await put({ ...plan, rank: 6 }, { "if-match": "*" })).status).toBe(200);
  expect((await api.call("GET /draft/plans/nowhere")).status).toBe(404);
});

test("an answer to GET has a tag, and is not sent again to who has it", async () => {
  const first = await api.call("GET /plans");
  const etag = first.headers.get("etag") ?? "";
  const again = await api.call("GET /plans", { headers: { "if-none-match": etag } });
  expect(again).toMatchObject({ status: 304, text: "" });
});
