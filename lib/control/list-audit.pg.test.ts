import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, PUBLISHER, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import { createKey, discardDraft, exportAudit, listAudit, putDraftItem, revertDraftItem } from ".";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

test("the log is searched by text in any case, where % and _ stand for themselves", async () => {
  const { ctx } = world;
  await createKey(ctx, { plan: "free", customer: "acme", name: "100% load_test" });
  const found = async (q: string) =>
    (await listAudit(ctx, { q })).items.map(({ action }) => action);
  expect(await found("CUSTOMER ACME")).toEqual(["key.create"]);
  expect(await found("100% load_test")).toEqual(["key.create"]);
  expect(await found("100_ load_test")).toEqual([]);
  expect(await found("load%test")).toEqual([]);
});

test("what Headgate did by itself is told apart from what people did", async () => {
  const { ctx } = world;
  const system = (await listAudit(ctx, { by: "system" })).items;
  const people = (await listAudit(ctx, { by: "user" })).items;
  expect(system.map(({ action }) => action)).toContain("version.initial");
  expect(people.map(({ actor }) => actor.type)).toEqual(people.map(() => "user"));
  expect(people.length).toBeGreaterThan(0);
  const by = "nobody" as "user";
  expect((await failureOf(listAudit(ctx, { by }), "invalid")).message).toContain("by");
});

async function exported(format: "csv" | "json", query: object = {}): Promise<string> {
  let text = "";
  for await (const chunk of exportAudit(world.ctx, { format, ...query }).chunks) text += chunk;
  return text;
}

test("an export has every row, beyond any page, and in CSV nothing that a spreadsheet runs", async () => {
  const { ctx, control } = world;
  const name = '=HYPERLINK("https://evil.example.test","x")';
  await createKey(ctx, { plan: "free", name });
  const actor = { type: "user", id: "=1+1", name: "-2" };
  await control.db.audit.createMany({
    data: Array.from({ length: 1_200 }, (_, i) => ({
      actor,
      actorId: "user:=1+1",
      action: "test.row",
      kind: "test",
      objectId: `+${i}`,
      sentence: `@row "${i}",\nwith two lines`,
    })),
  });
  const rows: unknown = JSON.parse(await exported("json", { kind: "test" }));
  expect(rows).toHaveLength(1_200);
  expect(rows).toMatchObject([
    { objectId: "+1199", sentence: '@row "1199",\nwith two lines' },
    ...Array(1_199).fill({}),
  ]);
  const csv = await exported("csv", { kind: "test" });
  const lines = csv.split("\r\n");
  expect(lines).toHaveLength(1_202);
  expect(lines[0]).toContain("id,at,actorType,actorId,actorName,action,kind,objectId,version");
  expect(lines[1]).toContain(
    `,user,'=1+1,'-2,test.row,test,'+1199,,"'@row ""1199"",\nwith two lines"`,
  );
  expect(await exported("csv", { q: "HYPERLINK" })).not.toMatch(/[,\n]"?[=+@-]/);
  expect(JSON.parse(await exported("json", { q: "no such row" }))).toEqual([]);
});

test("the log is searched by who it was, by name or id", async () => {
  const pat = world.as(PUBLISHER);
  await createKey(pat, { plan: "free", name: "by Pat" });
  for (const actor of ["pat", "user:pat", "PAT"]) {
    const { items } = await listAudit(world.ctx, { actor });
    expect(items.map((row) => row.actor.id)).toEqual(["pat"]);
  }
  expect((await listAudit(world.ctx, { actor: "%" })).items).toEqual([]);
});

test("an object's first edit in a draft is logged, and that it was taken back, not every save", async () => {
  const { ctx } = world;
  const save = (name: string) =>
    putDraftItem(ctx, { kind: "rule", id: "x", body: tokenBucketRule({ id: "x", name }) });
  await save("one");
  await save("two");
  await revertDraftItem(ctx, { kind: "rule", id: "x" });
  await save("three");
  await discardDraft(ctx);
  const { items } = await listAudit(ctx, { action: "draft." });
  expect(items.map(({ sentence }) => sentence)).toEqual([
    "Dana discarded a draft of 1 change on version 1",
    "Dana added rule x in a draft on version 1",
    "Dana took the edit of rule x back out of a draft",
    "Dana added rule x in a draft on version 1",
  ]);
});
