import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readKeyCsv } from "../cli/read-key-csv";
import type { KeyImportLine } from "../core/api/key-import";
import { keyedHash } from "../core/secrets";
import { createTestControl, EDITOR, GATEWAY, type TestControl, VIEWER } from "../testing/control";
import { baseOverHttp, indexOf } from "../testing/directory";
import { failureOf } from "../testing/failure";
import { createKey, exportKeys, importKeys, listAudit, listKeys, revokeKey, rotateKey } from ".";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

const keyOf = (name: string) => `sk_live_${name.padStart(24, "0")}`;
const rowsOf = (...rows: Omit<KeyImportLine, "line">[]) =>
  rows.map((row, i) => ({ line: i + 2, ...row }));
const counts = ({ made, changed, same, refused }: Record<string, unknown>) => [
  made,
  changed,
  same,
  refused,
];
const directorySeq = async () =>
  (await world.control.db.installation.findFirstOrThrow()).directorySeq;

test("keys come by text or by hash, and gateways know them; a second run changes nothing and says so", async () => {
  const { ctx, control } = world;
  const [hashKey] = control.keys.apiKey;
  const rows = rowsOf(
    { key: keyOf("one"), customer: "acme", plan: "paid", name: "One" },
    { hash: keyedHash(keyOf("two"), hashKey), customer: "acme", plan: "paid" },
    { key: keyOf("own"), plan: "free", id: "own-key" },
  );
  const first = await importKeys(ctx, { rows });
  expect(counts(first)).toEqual([3, 0, 0, 0]);
  const index = indexOf(await baseOverHttp(world.as(GATEWAY)));
  const find = (name: string) => index.findKey(keyedHash(keyOf(name), hashKey), 0);
  expect(find("one")).toMatchObject({ customer: "acme", plan: "paid" });
  expect(find("two")).toMatchObject({ customer: "acme", plan: "paid" });
  expect(find("own")).toEqual({ client: "key:own-key", customer: "own-key", plan: "free" });
  const seq = await directorySeq();
  expect(counts(await importKeys(ctx, { rows }))).toEqual([0, 0, 3, 0]);
  expect(await directorySeq()).toBe(seq);
  const audit = (await listAudit(ctx, { action: "key.import" })).items;
  expect(audit.map(({ sentence }) => sentence)).toEqual([
    "Dana imported 3 keys: 2 new customers, 0 moved, 0 keys renamed",
  ]);
});

test("a line that is wrong is refused alone, by its number, and without a word of the key", async () => {
  const { ctx, control } = world;
  const revoked = await createKey(ctx, { plan: "free", customer: "gone" });
  await revokeKey(ctx, { id: revoked.id });
  const rotated = await createKey(ctx, { plan: "free", customer: "turned" });
  await rotateKey(ctx, { id: rotated.id, graceHours: 0 });
  const rows = rowsOf(
    { key: keyOf("fine"), customer: "bolt", plan: "free" },
    { key: keyOf("plan"), customer: "bolt", plan: "gold" },
    { key: keyOf("moved"), customer: "bolt", plan: "paid" },
    { key: "short", customer: "bolt" },
    { key: `${keyOf("blank")} x`, customer: "bolt" },
    { hash: "abc", customer: "bolt" },
    { hash: "a".repeat(64), hashKeyId: "00000000", customer: "bolt" },
    { key: keyOf("new"), customer: "nobody-yet" },
    { id: "not-there" },
    { key: revoked.key, customer: "gone", plan: "free" },
    { key: rotated.key, customer: "turned", plan: "free" },
    { key: keyOf("fine"), customer: "crow", plan: "free" },
    { key: keyOf("case"), customer: "Bolt Inc", plan: "free" },
    { key: keyOf("taken"), id: "export", plan: "free" },
    { customer: "bolt", plan: "free" },
  );
  const answer = await importKeys(ctx, { rows });
  expect(counts(answer)).toEqual([1, 0, 0, 14]);
  const said = answer.results.map(({ line, message = "" }) => [line, message]);
  const reasons = [
    "",
    "plan must be one of free, paid, enterprise",
    "customer bolt is on plan free, got paid",
    "16..512 characters, got 5",
    "without blanks",
    "64 hexadecimal digits",
    "hash_key_id must be of a root secret in use",
    "plan is missing: customer nobody-yet is not known",
    "there is no key not-there",
    "revoked or rotated out",
    "revoked or rotated out",
    "belongs to customer bolt, got crow",
    "customer must be 1..63 characters of a-z",
    "id must not be import or export",
    "must give a key, its hash, or the id",
  ];
  for (const [i, reason] of reasons.entries())
    expect(said[i]).toEqual([i + 2, expect.stringContaining(reason)]);
  const text = JSON.stringify(answer);
  for (const { key } of rows) if (key !== undefined) expect(text).not.toContain(key);
  expect(await control.db.apiKey.count({ where: { customerId: "bolt" } })).toBe(1);
});

test("a list may name a key twice, rename, and move customers when it is let to", async () => {
  const { ctx } = world;
  const rows = rowsOf(
    { key: keyOf("dup"), customer: "twice", plan: "free" },
    { key: keyOf("dup"), customer: "twice", plan: "free" },
  );
  const first = await importKeys(ctx, { rows });
  expect(first.results.map(({ outcome }) => outcome)).toEqual(["made", "same"]);
  const [made] = first.results;
  const next = rowsOf({ id: made?.id, name: "Renamed", plan: "enterprise" });
  expect(counts(await importKeys(ctx, { rows: next }))).toEqual([0, 0, 0, 1]);
  const dry = await importKeys(ctx, { rows: next, movePlans: true, dryRun: true });
  expect(counts(dry)).toEqual([0, 1, 0, 0]);
  expect((await listKeys(ctx, { customer: "twice" })).items[0]).toMatchObject({ plan: "free" });
  await importKeys(ctx, { rows: next, movePlans: true });
  expect((await listKeys(ctx, { customer: "twice" })).items).toMatchObject([
    { plan: "enterprise", name: "Renamed" },
  ]);
});

test("row 731 of 1,000 with an unknown plan is refused, 999 are there", async () => {
  const { ctx } = world;
  const rows = Array.from({ length: 1_000 }, (_, i) => ({
    line: i + 2,
    key: keyOf(`many${i}`),
    customer: `many-${i % 100}`,
    plan: i === 730 ? "premium" : "paid",
  }));
  const answer = await importKeys(ctx, { rows });
  expect(counts(answer)).toEqual([999, 0, 0, 1]);
  expect(answer.results.find(({ outcome }) => outcome === "refused")?.line).toBe(732);
  expect((await listKeys(ctx, { find: "many-" })).total).toBe(999);
});

test("an export has every key and no secret, and imported again it changes nothing", async () => {
  const { ctx, control } = world;
  const made = await createKey(ctx, { plan: "free", customer: "odd", name: '=1+1,"x"' });
  const collect = async (query: Parameters<typeof exportKeys>[1]) => {
    let text = "";
    for await (const chunk of exportKeys(ctx, query)) text += chunk;
    return text;
  };
  const importText = async (text: string) => {
    const rows: KeyImportLine[] = [];
    const bytes = (async function* () {
      yield Buffer.from(text);
    })();
    for await (const line of readKeyCsv(bytes)) if (line.kind === "row") rows.push(line.row);
    const total = [0, 0, 0, 0];
    for (let at = 0; at < rows.length; at += 1_000) {
      const answer = await importKeys(ctx, { rows: rows.slice(at, at + 1_000) });
      for (const [i, count] of counts(answer).entries()) total[i] = (total[i] ?? 0) + Number(count);
    }
    return total;
  };
  const plain = await collect({});
  const { total } = await listKeys(ctx);
  expect(total).toBeGreaterThan(1_000);
  expect(plain).not.toContain(made.key);
  expect(plain).not.toContain(keyedHash(made.key, control.keys.apiKey[0]));
  expect(plain).toContain(`"'=1+1,""x"""`);
  expect(await importText(plain)).toEqual([0, 0, total, 0]);
  expect(await importText(await collect({ hashes: true }))).toEqual([0, 0, total, 0]);
});

test("no imported key is anywhere in the database", async () => {
  const { ctx, database } = world;
  const key = "ci-token-of-some-other-system-31337";
  await importKeys(ctx, {
    rows: rowsOf({ key, customer: "scanned", plan: "free" }, { key, plan: "no" }),
  });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  for (const { name } of rows) {
    const { rows: lines } = await client.query<{ line: string }>(
      `SELECT row_to_json(t)::text AS line FROM "${name}" t`,
    );
    expect(lines.filter(({ line }) => line.includes(key.slice(0, 12)))).toEqual([]);
  }
  await client.end();
  const [row] = (await listKeys(ctx, { prefix: key })).items;
  expect(row).toMatchObject({ customer: "scanned", prefix: "ci-token" });
});

test("who may not import or see hashes is refused", async () => {
  const { ctx } = world;
  const rows = rowsOf({ key: keyOf("no"), plan: "free" });
  await failureOf(importKeys(world.as(EDITOR), { rows }), "forbidden");
  expect(() => exportKeys(world.as(VIEWER), { hashes: true })).toThrow("may not manage API keys");
  await failureOf(importKeys(ctx, { rows: [] }), "invalid");
});
