import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ListsDetailSchema } from "../core/api/lists";
import { LIST_ENTRIES_MAX } from "../core/list-entry";
import { inTransaction } from "../db/client";
import { createTestControl, GATEWAY, type TestControl, VIEWER } from "../testing/control";
import { failureOf } from "../testing/failure";
import { countBatch } from "../testing/worker";
import {
  createKey,
  deleteDraftItem,
  discardDraft,
  getDraft,
  getLists,
  getRuleReport,
  getVersion,
  listAudit,
  listHits,
  publish,
  putDraftItem,
  rollbackVersion,
} from ".";
import { ingestBatches } from "./ingest-batches";
import { ruleSpans } from "./rule-spans";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

const put = (id: string, body: unknown) => putDraftItem(world.ctx, { kind: "lists", id, body });

async function publishNow(message: string) {
  const { currentVersion } = await getDraft(world.ctx);
  return publish(world.ctx, { message, baseVersion: currentVersion });
}

test("a deny entry goes live by a publish without evidence, loud in the diff, and leaves with a rollback", async () => {
  const { ctx } = world;
  await put("deny", [{ value: "ip:198.51.100.77/24", reason: "scans" }]);
  const draft = await getDraft(ctx);
  expect(draft.evidence).toEqual([]);
  expect(draft.changes[0]?.change).toMatchObject({
    sentence: "deny list: adds deny entry ip:198.51.100.0/24 (scans)",
    loud: true,
  });
  const { version } = await publishNow("a scan at 3 a.m.");
  const live = await getVersion(ctx, { number: version });
  expect(live.requires).toContain("lists/deny");
  expect(live.body.lists.deny).toEqual([{ value: "ip:198.51.100.0/24", reason: "scans" }]);
  const [audited] = (await listAudit(ctx, { version })).items;
  expect(audited).toMatchObject({ action: "version.publish", reason: "a scan at 3 a.m." });
  const back = await rollbackVersion(ctx, { number: version - 1 });
  expect((await getVersion(ctx, { number: back.version })).body.lists.deny).toEqual([]);
});

test("emptying a list is an edit like any other", async () => {
  await put("flood", [{ value: "0.0.0.0/0", perSecond: 50 }]);
  await publishNow("guard");
  await deleteDraftItem(world.ctx, { kind: "lists", id: "flood" });
  const { changes } = await getDraft(world.ctx);
  expect(changes[0]?.change.sentence).toBe(
    "flood list: removes flood entry 0.0.0.0/0: at most 50 a second of one address at a gateway",
  );
  await discardDraft(world.ctx);
});

describe("what is refused", () => {
  test("each bad entry has a sentence of its own, with its place in the list", async () => {
    const body = [{ value: "acme" }, { value: "key:k1" }, { value: "key:k1" }];
    const failure = await failureOf(put("deny", body), "invalid");
    expect(failure.errors).toEqual([
      {
        path: "0.value",
        message:
          'value must be key:<id>, customer:<id>, an address or a CIDR range such as 198.51.100.0/24, got "acme"',
      },
    ]);
    const twice = await failureOf(put("deny", body.slice(1)), "invalid");
    expect(twice.errors).toEqual([
      { path: "1.value", message: "key:k1 is on the deny list already, as entry 1" },
    ]);
  });

  test.each([undefined, {}, { entries: [] }, "198.51.100.7"])(
    "%j is no list, and empties none",
    async (body) => {
      await failureOf(put("deny", body), "invalid");
    },
  );

  test("a viewer edits no list, a gateway's token reads none", async () => {
    const edit = putDraftItem(world.as(VIEWER), { kind: "lists", id: "deny", body: [] });
    await failureOf(edit, "forbidden");
    await failureOf(getLists(world.as(GATEWAY)), "forbidden");
    expect((await getLists(world.as(VIEWER))).lists.allow).toEqual([]);
  });
});

test("an entry that holds nobody is warned of, one that holds somebody is not", async () => {
  const { id } = await createKey(world.ctx, { plan: "free", customer: "acme" });
  const values = [`key:${id}`, "customer:acme", "key:nobody", "customer:acmee", "198.51.100.7"];
  await put(
    "deny",
    values.map((value) => ({ value, reason: "why" })),
  );
  const { lint } = await getDraft(world.ctx);
  expect(
    lint.filter(({ code }) => code === "unknown-client").map(({ message }) => message),
  ).toEqual([
    "key:nobody holds nobody: there is no key nobody",
    "customer:acmee holds nobody: there is no customer acmee",
  ]);
  await discardDraft(world.ctx);
});

test("a list of 10,000 entries is saved, compared and published", async () => {
  const body = Array.from({ length: LIST_ENTRIES_MAX }, (_, i) => ({
    value: `10.${i >> 8}.${i & 255}.0/24`,
    reason: "a feed",
  }));
  await put("deny", body);
  const { version } = await publishNow("a feed");
  expect((await getVersion(world.ctx, { number: version })).body.lists.deny).toHaveLength(10_000);
  await rollbackVersion(world.ctx, { number: version - 1 });
});

test("what lists drop has figures, a report and a log, for the time in which the list had entries", async () => {
  const { ctx } = world;
  await put("deny", [{ value: "198.51.100.7", reason: "why" }]);
  const { version } = await publishNow("deny one");
  const nowMs = Date.now();
  const own = {
    rule: "_deny",
    revision: 0,
    mode: "enforce",
    lane: "live",
    plan: "anonymous",
  } as const;
  const figures = { requests: 7, rejections: 7, newly: 0 };
  const client = "ip:198.51.100.7";
  const batch = countBatch({
    environment: ctx.environment,
    sequence: 1,
    fromMs: nowMs,
    traffic: { requests: 9, refused: 7, local: 0, unchecked: 0 },
    counts: [{ ...own, second: Math.floor(nowMs / 1000), route: "other", ...figures }],
    clients: [{ ...own, minute: Math.floor(nowMs / 60_000), client, ...figures }],
    hits: [
      {
        ...own,
        atMs: nowMs,
        requestId: "r1",
        client,
        method: "GET",
        route: "other",
        epoch: 1,
        version,
        retryAfterSeconds: null,
      },
    ],
  });
  await inTransaction(ctx.db, (tx) => ingestBatches(tx, [batch]));
  const lists = ListsDetailSchema.parse(await getLists(ctx));
  expect(lists).toMatchObject({ version, lists: { deny: [{ value: "198.51.100.7" }] } });
  expect(lists.hits.map(({ rule, lastHour }) => [rule, lastHour])).toEqual([
    ["_deny", 7],
    ["_flood", 0],
  ]);
  const report = await getRuleReport(ctx, { id: "_deny" });
  expect(report).toMatchObject({
    rule: "_deny",
    mode: "enforce",
    revision: null,
    requests: 7,
    rejections: 7,
    clients: 1,
    topClients: [{ client, rejections: 7 }],
  });
  expect(report.samples[0]).toMatchObject({ client, requestId: "r1" });
  expect((await listHits(ctx, { id: "_deny" })).items).toHaveLength(1);
  expect((await getRuleReport(ctx, { id: "_flood" })).requests).toBe(0);
  const spans = await ruleSpans(ctx.db, { ruleId: "_deny", fromMs: 0, toMs: Date.now() });
  expect(spans.at(-1)).toMatchObject({
    mode: "enforce",
    revision: 0,
    toMs: Number.POSITIVE_INFINITY,
  });
  expect(spans.at(-2)).toMatchObject({ mode: "off", toMs: spans.at(-1)?.fromMs });
});
