import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";

let api: ConsoleApi;
const RULES = 1_000;
const OVERRIDES = 500;
const idOf = (i: number) => `rule-${String(i).padStart(4, "0")}`;
const ruleIds = Array.from({ length: RULES }, (_, i) => idOf(i));
const limit = {
  kind: "rate",
  algorithm: "token-bucket",
  default: { rate: 9, per: "1m", burst: 9 },
};

beforeAll(async () => {
  api = await openConsoleApi();
  const rules = ruleIds.map((id, i) => ({
    id,
    name: `Number ${i}`,
    countBy: ["apiKey"],
    match: { routes: [`/v1/things/${i}`] },
    limit,
  }));
  await api.call("PUT /draft/content", { body: { content: { rules } } });
  await publish("a thousand rules");
  await api.control.db.override.createMany({
    data: Array.from({ length: OVERRIDES }, (_, i) => ({
      id: `override-${i}`,
      client: `key:k${i}`,
      ruleId: idOf(i),
      limit: { rate: 1, per: "1m", burst: 1 },
      owner: "ops",
      reason: "test",
      // Many at one instant: the id must part them.
      expiresAt: new Date(Date.now() + 3_600_000 * (1 + (i % 3))),
    })),
  });
}, 60_000);
afterAll(() => api.close());

async function publish(message: string): Promise<void> {
  const { json } = await api.call("GET /versions?limit=1");
  const answer = await api.call("POST /publish", {
    body: { message, baseVersion: json.current, acknowledgeGaps: true },
  });
  expect(answer.status).toBe(201);
}

/** Every page of a list, with something done between two. */
async function pages(
  path: string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let cursor = "";
  for (let page = 1; ; page += 1) {
    const { status, json } = await api.call(`GET ${path}${cursor}`);
    expect(status).toBe(200);
    items.push(...(json.items as Record<string, unknown>[]));
    if (json.next === undefined) return items;
    cursor = `&cursor=${json.next}`;
    await between(page);
  }
}

test("pages of a thousand rules lose and repeat none while others publish, remove and add", async () => {
  const seen = await pages("/rules?limit=100", async (page) => {
    if (page > 4) return;
    // Behind and before the place that was read.
    await api.call(`DELETE /draft/rules/${idOf(page * 10)}`);
    await api.call(`PUT /draft/rules/${idOf(page * 10)}-b`, {
      body: { name: "Added behind", countBy: ["apiKey"], limit },
    });
    await api.call(`PUT /draft/rules/${idOf(900 + page)}`, {
      body: { name: "Changed before", countBy: ["apiKey"], limit },
    });
    await publish(`meanwhile ${page}`);
  });
  expect(seen.map(({ id }) => id)).toEqual(ruleIds);
  const { json } = await api.call("GET /rules?limit=500");
  expect(json).toMatchObject({ total: RULES, next: expect.any(String) });
}, 60_000);

test("search is over all rules, not over a page: by name, path and mode", async () => {
  for (const q of ["number%20873", "/v1/things/873", "rule-0873"]) {
    const { json } = await api.call(`GET /rules?q=${q}`);
    expect(json.items).toMatchObject([{ id: "rule-0873" }]);
  }
  await api.call("POST /rules/rule-0873/mode", { body: { mode: "off", reason: "test" } });
  const { json } = await api.call("GET /rules?mode=off");
  expect(json.items).toMatchObject([{ id: "rule-0873" }]);
});

test("pages of 500 overrides, many of one instant, lose and repeat none, also while some end", async () => {
  const seen = await pages("/overrides?limit=60", async (page) => {
    if (page === 1) await api.call("DELETE /overrides/override-0");
  });
  const ids = seen.map(({ id }) => String(id));
  expect(new Set(ids).size).toBe(OVERRIDES);
  expect(ids).toHaveLength(OVERRIDES);
});

test("pages of versions and of the log are whole while more is added in front", async () => {
  const { json } = await api.call("GET /versions?limit=1");
  const current = Number(json.current);
  let isOff = true;
  const add = async () => {
    isOff = !isOff;
    const mode = isOff ? "off" : "shadow";
    await api.call("POST /rules/rule-0873/mode", { body: { mode, reason: "meanwhile" } });
  };
  const versions = (await pages("/versions?limit=2", add)).map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: current }, (_, i) => current - i));
  const before = (await pages("/audit?limit=500")).map(({ id }) => id);
  const during = (await pages("/audit?limit=7", add)).map(({ id }) => id);
  expect(during).toEqual(before);
});

test("a cursor that is none is refused, and so is a page of more than 500", async () => {
  for (const path of [
    "/rules",
    "/overrides",
    "/versions",
    "/audit",
    "/keys",
    "/stops",
    "/schedules",
  ]) {
    expect((await api.call(`GET ${path}?cursor=made-up`)).status).toBe(422);
    expect((await api.call(`GET ${path}?limit=501`)).status).toBe(422);
  }
});
