import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, EDITOR, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import { createKey, getDraft, listPlanEffects, publish, putDraftItem, revokeKey } from ".";

let world: TestControl;
const of = (rate: number) => ({ rate, per: "1m", burst: rate });
const ruleWith = (free: number) =>
  tokenBucketRule({
    id: "r",
    name: "Requests",
    mode: "shadow",
    limit: { perPlan: { free: of(free) }, default: of(600) },
  });

beforeAll(async () => {
  world = await createTestControl();
  const { ctx } = world;
  await putDraftItem(ctx, { kind: "rule", id: "r", body: ruleWith(60) });
  const { currentVersion: baseVersion } = await getDraft(ctx);
  await publish(ctx, { message: "a rule", baseVersion });
  for (const customer of ["acme", "acme", "beta"]) await createKey(ctx, { plan: "free", customer });
  const gone = await createKey(ctx, { plan: "free", customer: "beta" });
  await revokeKey(ctx, { id: gone.id });
});
afterAll(() => world.close());

test("a draft says which plans it moves, by how much and how many clients are on them", async () => {
  const { ctx } = world;
  expect(await listPlanEffects(ctx)).toEqual([]);
  await putDraftItem(ctx, { kind: "rule", id: "r", body: ruleWith(6) });
  expect(await listPlanEffects(ctx)).toEqual([
    {
      plan: "free",
      name: "Free",
      isRemoved: false,
      customers: 2,
      keys: 3,
      rules: [
        {
          rule: "r",
          name: "Requests",
          mode: "shadow",
          before: "60 per 1m",
          after: "6 per 1m",
          direction: "stricter",
          words: "10 times stricter",
          isLoud: true,
        },
      ],
    },
  ]);
  expect(await listPlanEffects(world.as(EDITOR))).toEqual([]);
});

test("taking a plan away says what its clients would get, on top of the draft", async () => {
  const [effect, ...others] = await listPlanEffects(world.ctx, { removing: "free" });
  expect(others).toEqual([]);
  expect(effect).toMatchObject({
    plan: "free",
    isRemoved: true,
    keys: 3,
    rules: [{ before: "6 per 1m", after: "600 per 1m", words: "100 times looser" }],
  });
  expect(await listPlanEffects(world.ctx, { removing: "nobody" })).toEqual([]);
});

test("who may read nothing is told nothing", async () => {
  const gateway = { type: "token" as const, id: "g", name: "G", scopes: ["gateway" as const] };
  await failureOf(listPlanEffects(world.as(gateway)), "forbidden");
});
