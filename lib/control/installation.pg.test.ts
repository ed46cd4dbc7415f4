import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import { demoId, demoKey } from "../core/demo-keys";
import { deriveKeys, keyedHash } from "../core/secrets";
import { createTestControl, ROOT_SECRET, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { tokenBucketRule } from "../testing/rules";
import {
  createKey,
  ensureInstallation,
  getDirectory,
  getDraft,
  getHealth,
  getSnapshot,
  getVersion,
  listAllRules,
  listAudit,
  listKeys,
  listPlans,
  listRules,
  listVersions,
  publish,
  putDraftItem,
  raiseEpoch,
  revokeKey,
  setRuleMode,
} from ".";

const worlds: TestControl[] = [];
async function world(options: Parameters<typeof createTestControl>[0] = {}): Promise<TestControl> {
  const made = await createTestControl(options);
  worlds.push(made);
  return made;
}
afterAll(async () => {
  for (const each of worlds) await each.close();
});

test("three that start at once set up one installation, and later starts change nothing", async () => {
  const { control, ctx } = await world({ installed: false });
  const starts = await Promise.all(
    [1, 2, 3].map(() => ensureInstallation(control, { demo: false })),
  );
  expect(starts.filter(({ created }) => created)).toHaveLength(1);
  const again = await ensureInstallation(control, { demo: true });
  expect(again).toEqual({ version: starts[0]?.version, created: false });
  expect((await listVersions(ctx)).items).toHaveLength(1);
  expect(again.version.version).toBe(1);
  expect(Math.abs(again.version.epoch - Date.now() / 1000)).toBeLessThan(60);
});

test("the demo begins with its rules and a hundred clients whose keys its traffic derives itself", async () => {
  const { control, ctx } = await world({ demo: true });
  const again = await ensureInstallation(control, { demo: true });
  expect(again.demoKey).toBe(demoKey([ROOT_SECRET], 0));
  const rules = await listRules(ctx);
  expect(rules.items.map(({ id, mode }) => `${id} ${mode}`)).toEqual([
    "anonymous-by-ip enforce",
    "new-links-free shadow",
    "per-key-rate enforce",
  ]);
  expect(rules.items[2]?.sentence).toContain("60 per 1m");
  const all = await listAllRules(ctx, { q: "FREE", mode: ["enforce", "shadow"] });
  expect(all).toMatchObject({ total: 3, version: 1 });
  expect(all.items.map(({ id }) => id)).toEqual(["new-links-free", "per-key-rate"]);
  const plans = await listPlans(ctx);
  expect(plans.items.map(({ id, keys, customers }) => [id, keys, customers])).toEqual([
    ["free", 90, 90],
    ["paid", 9, 9],
    ["enterprise", 1, 1],
    ["anonymous", 0, 0],
  ]);
  expect(plans.items[3]?.limits).toContainEqual(
    expect.objectContaining({ rule: "anonymous-by-ip", words: "20 per 1m", from: "anonymous" }),
  );
  const hash = keyedHash(demoKey([ROOT_SECRET], 99), control.keys.apiKey[0]);
  const secret = await control.db.keySecret.findUniqueOrThrow({ where: { hash } });
  expect(secret.apiKeyId).toBe("demo-enterprise-99");
  expect((await listKeys(ctx, { plan: "paid" })).total).toBe(9);
});

test("a new root secret gives the demo's clients new keys, but none that was revoked", async () => {
  const { control, ctx } = await world({ demo: true });
  await revokeKey(ctx, { id: demoId(0) });
  const { epoch, directorySeq: seq } = await control.db.installation.findUniqueOrThrow({
    where: { id: 1 },
  });
  const secrets: [string, ...string[]] = ["a newer root secret of tests, 32", ROOT_SECRET];
  const rotated = {
    ...control,
    config: { ...control.config, secrets },
    keys: { ...control.keys, apiKey: deriveKeys(secrets, "api-key") },
  };
  await ensureInstallation(rotated, { demo: true });
  const answer = await getDirectory(ctx, { since: { epoch, seq } });
  const entries = answer.kind === "deltas" ? answer.deltas.flatMap((delta) => delta.entries) : [];
  const keys = entries.filter(({ type }) => type === "key").map(({ id }) => id);
  expect(keys).toHaveLength(99);
  expect(keys).not.toContain(demoId(0));
});

test("a database of another environment is refused", async () => {
  const { control } = await world();
  const failure = await failureOf(
    ensureInstallation({ ...control, environment: "elsewhere" }, { demo: false }),
    "invalid",
  );
  expect(failure.message).toContain('HEADGATE_ENVIRONMENT says "elsewhere"');
});

test("a newer world than the database knows raises epoch and number, with the live content, audited", async () => {
  const { ctx } = await world({ demo: true });
  await createKey(ctx, { plan: "free" });
  const before = await getSnapshot(ctx);
  const seen = { epoch: before.epoch + 5_000_000, version: 41 };
  const raised = await raiseEpoch(ctx, { seen });
  expect(raised).toEqual({ epoch: seen.epoch + 1, version: 42 });
  const after = await getSnapshot(ctx);
  expect(after).toMatchObject({ ...raised, hash: before.hash });
  expect(await raiseEpoch(ctx, { seen })).toEqual(raised);
  expect(await raiseEpoch(ctx, { seen: { epoch: 1, version: 999 } })).toEqual(raised);
  const [audit] = (await listAudit(ctx, { action: "version.raise" })).items;
  expect(audit?.sentence).toContain("the fleet had version 41 of epoch");
  const answer = await getDirectory(ctx, { since: `${before.epoch}.1` });
  expect(answer.kind).toBe("base");
  expect(answer.position.epoch).toBe(raised.epoch);
  const rule = await setRuleMode(ctx, { id: "new-links-free", mode: "off", reason: "goes on" });
  expect(rule).toMatchObject({ epoch: raised.epoch, version: 43 });
  expect((await getVersion(ctx, { number: 43 })).parent).toBe(42);
});

test("versions, revisions and audit rows cannot be changed in the database itself", async () => {
  const { database } = await world();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  for (const table of ["version", "revision", "version_item", "audit"]) {
    for (const sql of [
      `UPDATE ${table} SET ${table === "version_item" ? "lane = lane" : "actor = '{}'"}`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table} CASCADE`,
    ]) {
      await expect(client.query(sql), sql).rejects.toThrow("is refused: its rows never change");
      // As restores do it: our own triggers hold also then.
      await client.query("SET session_replication_role = replica");
      await expect(client.query(sql), sql).rejects.toThrow("is refused: its rows never change");
      await client.query("SET session_replication_role = origin");
    }
  }
  await client.end();
});

test("a publish is there although Redis is down, and waits in the outbox", async () => {
  const node = { host: "127.0.0.1", port: 1, database: 0, tls: false };
  const { ctx, control } = await world({
    redis: { state: { kind: "single", node }, control: { kind: "single", node } },
  });
  const rule = tokenBucketRule({ id: "r", mode: "shadow" });
  await putDraftItem(ctx, { kind: "rule", id: "r", body: rule });
  const { baseVersion } = await getDraft(ctx);
  const made = await publish(ctx, { message: "in the dark", baseVersion });
  expect(made.version).toBe(2);
  expect(await control.db.outbox.count({ where: { kind: "version", doneAt: null } })).toBe(2);
  expect(await getHealth(control)).toEqual({
    status: "degraded",
    postgres: "ok",
    redis: "unavailable",
    version: 2,
  });
});

test("health is unavailable before the first version and without Postgres", async () => {
  const fresh = await world({ installed: false });
  expect(await getHealth(fresh.control)).toMatchObject({
    status: "unavailable",
    postgres: "ok",
    version: null,
  });
  const gone = await world();
  await gone.database.drop();
  expect(await getHealth(gone.control)).toMatchObject({
    status: "unavailable",
    postgres: "unavailable",
  });
  await failureOf(listRules(gone.ctx), "unavailable");
  await failureOf(createKey(gone.ctx, { plan: "free" }), "unavailable");
});

test("a publish of one rule is one audit row and one outbox row, whatever the number of rules", async () => {
  const { ctx, control } = await world({ demo: true });
  const id = `r-${randomBytes(3).toString("hex")}`;
  await putDraftItem(ctx, { kind: "rule", id, body: tokenBucketRule({ id, mode: "off" }) });
  const { baseVersion } = await getDraft(ctx);
  const [audits, announcements] = [await control.db.audit.count(), await control.db.outbox.count()];
  await publish(ctx, { message: "one", baseVersion });
  expect([await control.db.audit.count(), await control.db.outbox.count()]).toEqual([
    audits + 1,
    announcements + 1,
  ]);
});
