import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../clock";
import type { Amount } from "../core/limit";
import type { Rule } from "../core/rule";
import { createTestControl, type TestControl, VIEWER } from "../testing/control";
import { ruleOf, tokenBucketRule } from "../testing/rules";
import {
  createKey,
  endOverride,
  getDraft,
  listOverrides,
  publish,
  putDraftItem,
  putOverride,
  rollbackVersion,
} from ".";

const DAY = 86_400_000;
const clock = new ManualClock(Date.parse("2026-03-10T09:00:00Z"));
let world: TestControl;
let key: { id: string; prefix: string };

const perKey = tokenBucketRule({
  id: "per-key",
  countBy: ["client"],
  mode: "shadow",
  limit: {
    perPlan: { free: { rate: 60, per: "1m", burst: 60 }, paid: "unlimited" },
    default: { rate: 1, per: "1m", burst: 1 },
  },
});
const paidOnly = tokenBucketRule({ id: "paid-only", mode: "shadow", match: { plans: ["paid"] } });
const inFlight = ruleOf(
  { kind: "concurrency", default: { concurrent: 5 } },
  { id: "in-flight", mode: "shadow" },
);
const inFlightAsRate = tokenBucketRule({ id: "in-flight", mode: "shadow" });

beforeAll(async () => {
  world = await createTestControl({ clock });
  await release([perKey, paidOnly, inFlight]);
  const { ctx } = world;
  key = await createKey(ctx, { plan: "free", customer: "acme", name: "Checkout 100%" });
  await createKey(ctx, { plan: "paid", customer: "rich" });
  const raise = { rate: 600, per: "1m", burst: 600 };
  await give("soon", `key:${key.id}`, "per-key", raise, 3);
  await give("later", "customer:rich", "per-key", raise, 30);
  await give("address", "ip:198.51.100.7", "per-key", { rate: 1, per: "1m", burst: 9 }, 8);
  await give("apart", "customer:acme", "paid-only", raise, 20);
  await give("odd", "customer:acme", "in-flight", { concurrent: 50 }, 5);
  await give("past", "ip:198.51.100.8", "per-key", raise, 1);
  await give("over", "ip:198.51.100.9", "per-key", raise, 40);
  await endOverride(ctx, { id: "over" });
  clock.advance(2 * DAY);
  await release([inFlightAsRate]);
});
afterAll(() => world.close());

async function release(rules: readonly Rule[]) {
  const { ctx } = world;
  for (const rule of rules) await putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
  const { currentVersion } = await getDraft(ctx);
  await publish(ctx, { message: "rules", baseVersion: currentVersion });
}

function give(id: string, client: string, rule: string, limit: Amount, days: number) {
  const expiresAt = new Date(clock.nowMs() + days * DAY).toISOString();
  const owner = id === "later" ? "Robin" : "Dana";
  return putOverride(world.ctx, { id, client, rule, limit, owner, reason: `for ${id}`, expiresAt });
}

async function idsOf(query: Parameters<typeof listOverrides>[1]) {
  return (await listOverrides(world.as(VIEWER), query)).items.map(({ id }) => id);
}

describe("a row says what the plan gives, what the override gives, and how far apart they are", () => {
  test.each([
    ["soon", "free", "60 per 1m", "looser", 10, "10 times looser"],
    ["later", "paid", "unlimited", "stricter", null, "not limited before"],
    ["address", "anonymous", "1 per 1m", "looser", 9, "burst 9 times larger"],
  ])("%s", async (id, plan, planWords, direction, factor, words) => {
    const row = (await listOverrides(world.ctx)).items.find((each) => each.id === id);
    expect(row).toMatchObject({
      state: "active",
      clientFacts: { plan },
      planWords,
      change: { direction, factor, words },
    });
  });

  test("one of a rule that does not match the client's plan changes nothing", async () => {
    const [row] = (await listOverrides(world.ctx, { rule: "paid-only" })).items;
    expect(row).toMatchObject({ state: "active", change: null, planWords: "not matched" });
  });
});

describe("filters leave what they name, over all rows", () => {
  test.each<[string, Parameters<typeof listOverrides>[1], string[]]>([
    ["nothing", {}, ["soon", "odd", "address", "apart", "later"]],
    [
      "all, the latest first",
      { show: "all" },
      ["over", "later", "apart", "address", "odd", "soon", "past"],
    ],
    ["active", { state: "active" }, ["soon", "address", "apart", "later"]],
    ["ignored", { state: "ignored" }, ["odd"]],
    ["expired", { state: "expired" }, ["past"]],
    ["ended", { state: "ended" }, ["over"]],
    ["within a week", { expiresWithinDays: 7 }, ["soon", "odd", "address"]],
    ["a rule", { rule: "in-flight" }, ["odd"]],
    ["a client", { client: "customer:acme" }, ["odd", "apart"]],
    ["an owner", { q: "robin" }, ["later"]],
    ["a key's name, wildcards taken as they are", { q: "100%" }, ["soon"]],
    ["no wildcard", { q: "1%0" }, []],
    ["a customer with its keys", { q: "acme" }, ["soon", "odd", "apart"]],
    ["an address", { q: "100.7" }, ["address"]],
  ])("%s", async (_, query, expected) => {
    expect(await idsOf(query)).toEqual(expected);
    expect((await listOverrides(world.ctx, query)).total).toBe(expected.length);
  });

  test("the beginning of a key", async () => {
    expect(await idsOf({ q: key.prefix })).toEqual(["soon"]);
  });
});

test.each([{ show: "current" as const }, { show: "all" as const }])(
  "pages of $show neither repeat nor lose one, and know how many there are",
  async ({ show }) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listOverrides(world.ctx, { show, limit: 2, cursor });
      expect(page.total).toBe(show === "all" ? 7 : 5);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(await idsOf({ show }));
  },
);

test("a rollback leaves every override as it is, and revives none", async () => {
  const before = (await listOverrides(world.ctx, { show: "all" })).items;
  await rollbackVersion(world.ctx, { number: 1 });
  const after = (await listOverrides(world.ctx, { show: "all" })).items;
  const facts = (rows: typeof before) =>
    rows.map(({ id, limit, expiresAt, endedAt }) => ({ id, limit, expiresAt, endedAt }));
  expect(facts(after)).toEqual(facts(before));
  const stateOf = (rows: typeof before, id: string) => rows.find((row) => row.id === id)?.state;
  for (const id of ["past", "over"]) expect(stateOf(after, id)).toBe(stateOf(before, id));
  expect(stateOf(after, "soon")).toBe("ignored");
  await rollbackVersion(world.ctx, { number: 2 });
  const back = (await listOverrides(world.ctx, { show: "all" })).items;
  expect(stateOf(back, "soon")).toBe("active");
  expect(stateOf(back, "past")).toBe("expired");
});
