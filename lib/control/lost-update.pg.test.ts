import { afterAll, beforeAll, expect, test } from "vitest";
import type { Rule } from "../core/rule";
import { ADMIN, createTestControl, PUBLISHER, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import { type Ctx, getDraft, getRule, publish, putDraftItem, rebaseDraft } from ".";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

const rule = (id: string, fields: Partial<Rule> = {}): Rule => ({
  ...tokenBucketRule({ id, mode: "shadow" }),
  ...fields,
});

async function save(ctx: Ctx, body: Rule): Promise<void> {
  await putDraftItem(ctx, { kind: "rule", id: body.id, body });
}

async function publishAs(ctx: Ctx, message: string) {
  return publish(ctx, { message, baseVersion: (await getDraft(ctx)).baseVersion });
}

/** Dana and Pat change one rule, each from the same base; Dana publishes first. */
async function twoFromOneBase(id: string): Promise<{ dana: Ctx; pat: Ctx }> {
  const [dana, pat] = [world.as(ADMIN), world.as(PUBLISHER)];
  await save(dana, rule(id));
  await publishAs(dana, `${id} is new`);
  await save(dana, rule(id, { name: "Dana's name" }));
  await save(pat, rule(id, { description: "Pat's words" }));
  await publishAs(dana, "Dana's name");
  return { dana, pat };
}

test("of two from one base the second is told, and after a rebase both changes are live", async () => {
  const { dana, pat } = await twoFromOneBase("guarded");
  const { details } = await failureOf(publishAs(pat, "Pat's words"), "conflict");
  expect(details).toMatchObject({ reason: "stale", conflicts: [{ kind: "rule", id: "guarded" }] });
  expect(await getRule(dana, { id: "guarded" })).toMatchObject({ name: "Dana's name" });
  await rebaseDraft(pat);
  await save(pat, rule("guarded", { name: "Dana's name", description: "Pat's words" }));
  await publishAs(pat, "both");
  expect((await getRule(dana, { id: "guarded" })).rule).toMatchObject({
    name: "Dana's name",
    description: "Pat's words",
  });
});

test("control run: with the guard off, as if the draft stood on what is live, Dana's change is lost", async () => {
  const { dana, pat } = await twoFromOneBase("unguarded");
  const { currentVersion } = await getDraft(pat);
  await world.control.db.draft.updateMany({
    where: { owner: "user:pat" },
    data: { baseVersion: currentVersion },
  });
  await publishAs(pat, "Pat's words");
  const { rule: now } = await getRule(dana, { id: "unguarded" });
  expect(now.description).toBe("Pat's words");
  expect(now.name).not.toBe("Dana's name");
});
