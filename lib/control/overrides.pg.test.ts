import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../clock";
import type { Rule } from "../core/rule";
import {
  createTestControl,
  EDITOR,
  GATEWAY,
  SUPPORT,
  type TestControl,
  VIEWER,
} from "../testing/control";
import { baseOverHttp } from "../testing/directory";
import { failureOf } from "../testing/failure";
import { ruleOf, tokenBucketRule } from "../testing/rules";
import {
  createKey,
  endOverride,
  getDraft,
  getOverride,
  listAudit,
  listOverrides,
  publish,
  putDraftItem,
  putOverride,
} from ".";

const NOW = Date.parse("2026-03-10T09:00:00Z");
const HOUR = 3_600_000;
const clock = new ManualClock(NOW);
let world: TestControl;
let key: string;

const perKey = tokenBucketRule({ id: "per-key", mode: "shadow" });
const monthly = ruleOf(
  { kind: "rate", algorithm: "fixed-window", default: { rate: 100, per: "1mo" } },
  { id: "monthly", countBy: ["customer"], mode: "shadow" },
);

beforeAll(async () => {
  world = await createTestControl({ clock, gatewayToken: "gateway-token" });
  await release([perKey, monthly], "rules");
  key = (await createKey(world.ctx, { plan: "free", customer: "acme" })).id;
});
afterAll(() => world.close());

async function release(rules: readonly Rule[], message: string) {
  const { ctx } = world;
  for (const rule of rules) await putDraftItem(ctx, { kind: "rule", id: rule.id, body: rule });
  await publish(ctx, { message, baseVersion: (await getDraft(ctx)).currentVersion });
}

function wanted(fields: Record<string, unknown> = {}) {
  return {
    id: "launch",
    client: "customer:acme",
    rule: "per-key",
    limit: { rate: 600, per: "1m", burst: 900 },
    owner: "Dana",
    reason: "launch week",
    expiresAt: new Date(clock.nowMs() + 24 * HOUR).toISOString(),
    ...fields,
  };
}

async function entriesOf(id: string) {
  const { entries } = await baseOverHttp(world.as(GATEWAY));
  return entries.filter((entry) => entry.type === "override" && entry.id === id);
}

test("an override reaches the directory, with an audit row, and is gone when it is ended", async () => {
  const { ctx } = world;
  const made = await putOverride(ctx, wanted());
  expect(made).toMatchObject({ state: "active", words: "600 per 1m, burst 900", why: "" });
  expect(await entriesOf("launch")).toMatchObject([{ client: "customer:acme", rule: "per-key" }]);
  const changed = await putOverride(ctx, wanted({ limit: "unlimited", reason: "all of it" }));
  expect(changed.words).toBe("unlimited");
  expect(await entriesOf("launch")).toMatchObject([{ limit: "unlimited" }]);
  expect((await listOverrides(world.as(VIEWER), { client: "customer:acme" })).items).toEqual([
    changed,
  ]);
  expect((await endOverride(ctx, { id: "launch" })).state).toBe("ended");
  expect((await endOverride(ctx, { id: "launch" })).state).toBe("ended");
  expect(await entriesOf("launch")).toEqual([]);
  expect((await listOverrides(ctx)).items).toEqual([]);
  expect((await listOverrides(ctx, { show: "all" })).items).toMatchObject([{ id: "launch" }]);
  const audit = (await listAudit(ctx, { object: "launch" })).items;
  expect(audit.map(({ action, sentence }) => [action, sentence])).toEqual([
    [
      "override.end",
      "Dana ended override launch: customer:acme gets the limit of its plan of rule per-key again",
    ],
    [
      "override.update",
      "Dana changed override launch: customer:acme gets unlimited of rule per-key until 2026-03-11T09:00:00.000Z",
    ],
    [
      "override.create",
      "Dana gave override launch: customer:acme gets 600 per 1m, burst 900 of rule per-key until 2026-03-11T09:00:00.000Z",
    ],
  ]);
});

describe("what gateways would not use is refused with the reason", () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      "an amount of another kind",
      { limit: { rate: 600, per: "1m" } },
      'limit: rule per-key is of kind token-bucket and takes "unlimited" or {rate, per, burst}, got {rate, per} with per 1m',
    ],
    [
      "a burst for windows",
      { rule: "monthly" },
      'limit: rule monthly is of kind fixed-window and takes "unlimited" or {rate, per}, got {rate, per, burst}',
    ],
    [
      "a rule that is not there",
      { rule: "nope" },
      "rule: there is no rule nope in the live version",
    ],
    ["a key that is not there", { client: "key:nope" }, "client: there is no key nope"],
    [
      "a customer that is not there",
      { client: "customer:nope" },
      "client: there is no customer nope",
    ],
    [
      "a network",
      { client: "ip:198.51.100.0/24" },
      "client: ip:198.51.100.0/24 is a network: an override is for one address as it is counted",
    ],
    [
      "a time that has passed",
      { expiresAt: "2026-03-10T09:00:00Z" },
      "expiresAt: expiresAt must be in the future, got 2026-03-10T09:00:00.000Z",
    ],
    [
      "a number beyond its bounds",
      { limit: { rate: 0, per: "1m", burst: 1 } },
      "limit.rate: rate must be a whole number 1..1000000000, got 0",
    ],
  ])("%s", async (_, fields, expected) => {
    const failure = await failureOf(
      putOverride(world.ctx, wanted({ id: "bad", ...fields })),
      "invalid",
    );
    expect(failure.errors.map(({ path, message }) => `${path}: ${message}`)).toContain(expected);
  });

  test("a key's in a bucket of its customer", async () => {
    const limit = { rate: 600, per: "1mo" };
    const input = wanted({ id: "bad", client: `key:${key}`, rule: "monthly", limit });
    const failure = await failureOf(putOverride(world.ctx, input), "invalid");
    expect(failure.errors[0]?.message).toContain("is for customer:<id> or ip:<address>");
  });
});

test("one client has one override of a rule at a time, and an ended one is never revived", async () => {
  const { ctx } = world;
  await putOverride(ctx, wanted({ id: "first", client: `key:${key}` }));
  const second = await failureOf(
    putOverride(ctx, wanted({ id: "second", client: `key:${key}` })),
    "conflict",
  );
  expect(second.message).toContain("has override first of rule per-key already");
  clock.advance(25 * HOUR);
  expect(await getOverride(ctx, { id: "first" })).toMatchObject({ state: "expired" });
  const again = await failureOf(putOverride(ctx, wanted({ id: "first" })), "conflict");
  expect(again.message).toContain("has ended and is not revived");
  await putOverride(ctx, wanted({ id: "second", client: `key:${key}` }));
  await endOverride(ctx, { id: "second" });
});

test("one that no longer fits its rule is kept, shown as ignored, and counts again when the rule is back", async () => {
  const { ctx } = world;
  const limit = { rate: 500, per: "1mo" };
  await putOverride(ctx, wanted({ id: "big", rule: "monthly", limit }));
  const inFlight = ruleOf(
    { kind: "concurrency", default: { concurrent: 5 } },
    { id: "monthly", countBy: ["customer"], mode: "shadow" },
  );
  await putDraftItem(ctx, { kind: "rule", id: "monthly", body: inFlight });
  expect((await getDraft(ctx)).lint).toContainEqual({
    level: "warning",
    code: "overrides-ignored",
    kind: "rule",
    id: "monthly",
    path: "limit",
    message:
      'override big would be ignored: rule monthly is of kind concurrency and takes "unlimited" or {concurrent}, got {rate, per} with per 1mo',
  });
  await release([inFlight], "another kind");
  expect(await getOverride(ctx, { id: "big" })).toMatchObject({
    state: "ignored",
    words: "500 per 1mo",
    why: 'rule monthly is of kind concurrency and takes "unlimited" or {concurrent}, got {rate, per} with per 1mo',
  });
  await release([monthly], "back");
  expect(await getOverride(ctx, { id: "big" })).toMatchObject({
    state: "active",
    words: "500 per calendar month (UTC)",
    why: "",
  });
});

test("whoever may not manage keys may read overrides only", async () => {
  await failureOf(putOverride(world.as(EDITOR), wanted()), "forbidden");
  await failureOf(endOverride(world.as(EDITOR), { id: "big" }), "forbidden");
  expect((await getOverride(world.as(VIEWER), { id: "big" })).id).toBe("big");
  await failureOf(getOverride(world.as(VIEWER), { id: "nope" }), "not_found");
});

test("pages neither repeat nor lose one", async () => {
  const { ctx } = world;
  for (const i of [1, 2, 3])
    await putOverride(ctx, wanted({ id: `page-${i}`, client: `ip:198.51.100.${i}` }));
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listOverrides(ctx, { limit: 1, rule: "per-key", cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(ids).toEqual(["page-1", "page-2", "page-3"]);
});

test("support may raise a limit for a day, and neither lower nor shorten what is there", async () => {
  const ctx = world.as(SUPPORT);
  const client = `key:${(await createKey(world.ctx, { plan: "free" })).id}`;
  const raise = (fields: Record<string, unknown> = {}) =>
    putOverride(ctx, wanted({ id: "raised", client, ...fields }));
  const hours = (count: number) => new Date(clock.nowMs() + count * HOUR).toISOString();
  const low = await failureOf(raise({ limit: { rate: 1, per: "1h", burst: 1 } }), "forbidden");
  expect(low.message).toContain("an override may only raise a limit, above what");
  const long = await failureOf(raise({ expiresAt: hours(25) }), "forbidden");
  expect(long.message).toContain("for at most 24 hours");
  await raise({ expiresAt: hours(2) });
  await raise({ limit: "unlimited", expiresAt: hours(20) });
  await failureOf(raise({ expiresAt: hours(20) }), "forbidden");
  const short = await failureOf(raise({ limit: "unlimited", expiresAt: hours(3) }), "forbidden");
  expect(short.message).toContain("not end an override sooner");
  await failureOf(endOverride(ctx, { id: "raised" }), "forbidden");
  await endOverride(world.ctx, { id: "raised" });
});
