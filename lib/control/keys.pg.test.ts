import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keyedHash } from "../core/secrets";
import { createTestControl, EDITOR, GATEWAY, type TestControl, VIEWER } from "../testing/control";
import { baseOverHttp, indexOf } from "../testing/directory";
import { failureOf } from "../testing/failure";
import {
  authenticateToken,
  createApiToken,
  createKey,
  deleteDraftItem,
  getDirectory,
  getDraft,
  getKey,
  listApiTokens,
  listAudit,
  listKeys,
  listPlans,
  publish,
  putDraftItem,
  revokeApiToken,
  revokeKey,
  rotateKey,
  updateKey,
} from ".";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl({
    bootstrapToken: "bootstrap-token",
    gatewayToken: "gateway-token",
  });
});
afterAll(() => world.close());

test("a key is shown once and stored as a keyed hash; gateways learn its client, customer and plan", async () => {
  const { ctx, control } = world;
  const made = await createKey(ctx, { plan: "free", customer: "acme", name: "CI" });
  expect(made.key).toMatch(/^hg_[0-9A-Za-z]{32}$/);
  expect(made).toMatchObject({ prefix: made.key.slice(0, 9), plan: "free", customer: "acme" });
  const hash = keyedHash(made.key, control.keys.apiKey[0]);
  const { entries } = await baseOverHttp(world.as(GATEWAY));
  expect(entries).toContainEqual({ type: "customer", id: "acme", plan: "free" });
  expect(entries).toContainEqual({
    type: "key",
    hash: hash.slice(0, 24),
    keyId: "",
    id: made.id,
    customer: "acme",
  });
  const [audit] = (await listAudit(ctx, { object: made.id })).items;
  expect(audit?.sentence).toBe(
    `Dana created key ${made.prefix}… (CI) for customer acme on plan free`,
  );
});

test("a customer has one plan: another one is refused, an unknown customer is made, none makes its own", async () => {
  const { ctx } = world;
  await createKey(ctx, { plan: "paid", customer: "globex" });
  const failure = await failureOf(createKey(ctx, { plan: "free", customer: "globex" }), "conflict");
  expect(failure.message).toContain("customer globex is on plan paid, got free");
  const own = await createKey(ctx, { plan: "free" });
  expect(own.customer).toBe(own.id);
});

test("a plan whose keys are all revoked is not in use, and its customer comes back on another one", async () => {
  const { ctx } = world;
  const plan = { kind: "plan" as const, id: "trial" };
  const release = async (message: string) =>
    publish(ctx, { message, baseVersion: (await getDraft(ctx)).baseVersion });
  await putDraftItem(ctx, { ...plan, body: { name: "Trial" } });
  await release("trial begins");
  const { id } = await createKey(ctx, { plan: "trial", customer: "passing-by" });
  await failureOf(deleteDraftItem(ctx, plan), "conflict");
  await revokeKey(ctx, { id });
  await deleteDraftItem(ctx, plan);
  await release("trial ends");
  const again = await createKey(ctx, { plan: "paid", customer: "passing-by" });
  expect(again).toMatchObject({ plan: "paid", customer: "passing-by" });
  expect((await listKeys(ctx, { customer: "passing-by" })).items).toMatchObject([
    { id: again.id, plan: "paid" },
  ]);
  const { items } = await listAudit(ctx, { object: again.id });
  expect(items[0]?.sentence).toContain("moved from plan trial, which is gone");
  // On a plan that is there it stays: the answer names it.
  await failureOf(createKey(ctx, { plan: "free", customer: "passing-by" }), "conflict");
});

test("changing a key's plan moves its customer and all its keys", async () => {
  const { ctx } = world;
  const [one, two] = [
    await createKey(ctx, { plan: "free", customer: "initech" }),
    await createKey(ctx, { plan: "free", customer: "initech" }),
  ];
  const before = await getDirectory(world.as(GATEWAY));
  const moved = await updateKey(ctx, { id: one.id, plan: "enterprise", name: "Main" });
  expect(moved).toMatchObject({ plan: "enterprise", name: "Main" });
  const { items } = await listKeys(ctx, { customer: "initech" });
  expect(items.map(({ id, plan }) => [id, plan])).toEqual(
    expect.arrayContaining([one, two].map(({ id }) => [id, "enterprise"])),
  );
  const { epoch, seq } = before.position;
  expect(await getDirectory(world.as(GATEWAY), { since: `${epoch}.${seq}` })).toEqual({
    kind: "deltas",
    position: { epoch, seq: seq + 1 },
    deltas: [
      { epoch, seq: seq + 1, entries: [{ type: "customer", id: "initech", plan: "enterprise" }] },
    ],
  });
  const [audit] = (await listAudit(ctx, { action: "key.update" })).items;
  expect(audit?.sentence).toContain("moved customer initech (2 keys) from plan free to enterprise");
});

test("a revoked key leaves the directory at once, keeps its row, and stays revoked", async () => {
  const { ctx, control } = world;
  const made = await createKey(ctx, { plan: "free" });
  const hash = keyedHash(made.key, control.keys.apiKey[0]);
  const row = await revokeKey(ctx, { id: made.id });
  expect(row.revokedAt).not.toBeNull();
  expect(await revokeKey(ctx, { id: made.id })).toEqual(row);
  const answer = await getDirectory(world.as(GATEWAY));
  expect(JSON.stringify(answer)).not.toContain(hash);
  const [change] = await control.db.directoryChange.findMany({ orderBy: { seq: "desc" }, take: 1 });
  expect(change?.entries).toMatchObject([{ type: "key", hash, removed: true }]);
  await failureOf(updateKey(ctx, { id: made.id, name: "Again" }), "conflict");
  const isListed = async (revoked: boolean) =>
    (await listKeys(ctx, { revoked })).items.some(({ id }) => id === made.id);
  expect([await isListed(false), await isListed(true)]).toEqual([false, true]);
});

test("a rotated key is the same client at once, and its old text works for the hours that were chosen", async () => {
  const { ctx, control } = world;
  const made = await createKey(ctx, { plan: "paid", customer: "rotated", name: "Main" });
  const hashOf = (key: string) => keyedHash(key, control.keys.apiKey[0]);
  const since = (await getDirectory(world.as(GATEWAY))).position;
  const rotated = await rotateKey(ctx, { id: made.id, graceHours: 24 });
  expect(rotated).toMatchObject({ id: made.id, customer: "rotated", plan: "paid" });
  expect(rotated.key).not.toBe(made.key);
  const endMs = Date.parse(rotated.previousUntil ?? "");
  expect(Math.abs(endMs - control.clock.nowMs() - 24 * 3_600_000)).toBeLessThan(60_000);
  const answer = await getDirectory(world.as(GATEWAY), { since });
  const index = indexOf(await baseOverHttp(world.as(GATEWAY)));
  if (answer.kind !== "deltas") throw new Error("expected deltas");
  for (const entry of answer.deltas.flatMap(({ entries }) => entries)) index.apply(entry);
  for (const key of [made.key, rotated.key])
    expect(index.findKey(hashOf(key), endMs - 1)?.client).toBe(`key:${made.id}`);
  expect(index.findKey(hashOf(made.key), endMs)).toBeNull();
  expect(index.findKey(hashOf(rotated.key), endMs)?.client).toBe(`key:${made.id}`);
  expect(await getKey(ctx, { id: made.id })).toMatchObject({
    prefix: rotated.prefix,
    previousUntil: rotated.previousUntil,
  });
  const [audit] = (await listAudit(ctx, { action: "key.rotate" })).items;
  expect(audit?.sentence).toContain(`rotated key ${made.id} (Main) of customer rotated`);
  expect(JSON.stringify(audit)).not.toContain(rotated.key);
});

test("a rotation without a grace ends every older text at once, also those that had some time left", async () => {
  const { ctx, control } = world;
  const made = await createKey(ctx, { plan: "free", customer: "leaked" });
  const second = await rotateKey(ctx, { id: made.id, graceHours: 48 });
  const third = await rotateKey(ctx, { id: made.id, graceHours: 0 });
  expect(third.previousUntil).toBeNull();
  const index = indexOf(await baseOverHttp(world.as(GATEWAY)));
  const find = (key: string) =>
    index.findKey(keyedHash(key, control.keys.apiKey[0]), control.clock.nowMs());
  expect([made, second, third].map(({ key }) => find(key)?.client ?? null)).toEqual([
    null,
    null,
    `key:${made.id}`,
  ]);
  expect((await getKey(ctx, { id: made.id })).previousUntil).toBeNull();
});

test("a second rotation never lengthens what the first one left, and ten texts are the most", async () => {
  const { ctx, control } = world;
  const { id } = await createKey(ctx, { plan: "free", customer: "loop" });
  const first = await rotateKey(ctx, { id, graceHours: 1 });
  await rotateKey(ctx, { id, graceHours: 100 });
  const rows = await control.db.keySecret.findMany({
    where: { apiKeyId: id, expiresAt: { not: null } },
    orderBy: { expiresAt: "asc" },
  });
  expect(rows[0]?.expiresAt?.toISOString()).toBe(first.previousUntil);
  for (let i = 0; i < 7; i += 1) await rotateKey(ctx, { id, graceHours: 100 });
  const failure = await failureOf(rotateKey(ctx, { id, graceHours: 100 }), "conflict");
  expect(failure.message).toContain("10 texts that still work");
  await rotateKey(ctx, { id, graceHours: 0 });
  await revokeKey(ctx, { id });
  await failureOf(rotateKey(ctx, { id, graceHours: 0 }), "conflict");
  await failureOf(rotateKey(world.as(VIEWER), { id, graceHours: 0 }), "forbidden");
  await failureOf(rotateKey(ctx, { id: "nobody", graceHours: 0 }), "not_found");
  await failureOf(rotateKey(ctx, { id, graceHours: 721 }), "invalid");
});

test("keys are listed in pages, by prefix, customer and plan; a whole pasted key finds itself", async () => {
  const { ctx } = world;
  const made: { id: string; key: string }[] = [];
  for (let i = 0; i < 5; i += 1)
    made.push(await createKey(ctx, { plan: "paid", customer: "paged" }));
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listKeys(ctx, { customer: "paged", limit: 2, cursor });
    expect(page.total).toBe(5);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(seen.sort()).toEqual(made.map(({ id }) => id).sort());
  const [first] = made;
  const found = await listKeys(ctx, { prefix: first?.key ?? "", plan: "paid" });
  expect(found.items.map(({ id }) => id)).toEqual([first?.id]);
  expect((await listKeys(ctx, { find: "pag", plan: "paid" })).total).toBe(5);
  expect((await listKeys(ctx, { find: "pag", plan: "free" })).total).toBe(0);
  expect((await listKeys(ctx, { find: "aged" })).total).toBe(0);
  for (const find of ["p%", "p_g", "%"])
    expect((await listKeys(ctx, { find })).total, find).toBe(0);
  await failureOf(listKeys(ctx, { cursor: "nonsense" }), "invalid");
});

test("a list counts up to ten thousand and then says that there are more", async () => {
  const { ctx, control } = world;
  const put = (customer: string, keys: number) =>
    control.db.$executeRaw`
      WITH made AS (
        INSERT INTO customer (id, name, plan) VALUES (${customer}, '', 'free') RETURNING id
      )
      INSERT INTO api_key (id, customer_id, name)
      SELECT ${customer} || '-' || i, made.id, '' FROM made, generate_series(1, ${keys}) i`;
  await put("many", 10_000);
  await put("more", 10_001);
  const listed = (customer: string) => listKeys(ctx, { customer, limit: 1 });
  expect(await listed("many")).toMatchObject({ total: 10_000, totalIs: "exact" });
  expect(await listed("more")).toMatchObject({ total: 10_000, totalIs: "at-least" });
  const { items } = await listPlans(ctx);
  expect(items.find(({ id }) => id === "free")?.keys).toBeGreaterThan(20_000);
});

test("forty changes at once leave the directory's sequence without a gap", async () => {
  const { ctx, control } = world;
  const plans = ["free", "paid", "enterprise"];
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => createKey(ctx, { plan: plans[i % 3] ?? "free" })),
  );
  const rows = await control.db.directoryChange.findMany({ orderBy: { seq: "asc" } });
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
  const announced = await control.db.outbox.findMany({ where: { kind: "directory" } });
  expect(announced).toHaveLength(rows.length);
}, 60_000);

test("no key and no token is anywhere in the database", async () => {
  const { ctx, database } = world;
  const { key } = await createKey(ctx, { plan: "free", name: "Scanned" });
  const { token } = await createApiToken(ctx, { name: "scanned", scopes: ["admin"] });
  await authenticateToken(world.control, { bearer: token });
  await listKeys(ctx, { prefix: key });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  // Also as hex: that is how a column of bytes reads.
  const wanted = [key, token].flatMap((text) => [text, Buffer.from(text).toString("hex")]);
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: lines } = await client.query<{ line: string }>(
      `SELECT row_to_json(t)::text AS line FROM "${name}" t`,
    );
    if (lines.some(({ line }) => wanted.some((text) => line.includes(text)))) found.push(name);
  }
  await client.end();
  expect(rows.length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

test("tokens open what their scope says, until they are revoked", async () => {
  const { ctx, control } = world;
  const made = await createApiToken(ctx, { name: "robot", scopes: ["gateway"] });
  const actor = await authenticateToken(control, { bearer: made.token });
  expect(actor).toEqual({ type: "token", id: made.id, name: "robot", scopes: ["gateway"] });
  await failureOf(createKey(world.as(actor), { plan: "free" }), "forbidden");
  await getDirectory(world.as(actor));
  expect(
    (await listApiTokens(ctx)).items.find(({ id }) => id === made.id)?.lastUsedAt,
  ).not.toBeNull();
  await revokeApiToken(ctx, { id: made.id });
  const failure = await failureOf(
    authenticateToken(control, { bearer: made.token }),
    "unauthenticated",
  );
  expect(failure.message).toContain("was revoked");
  await failureOf(authenticateToken(control, { bearer: "hgt_unknown" }), "unauthenticated");
  expect(await authenticateToken(control, { bearer: "bootstrap-token" })).toMatchObject({
    id: "bootstrap",
    scopes: ["admin"],
  });
  expect(await authenticateToken(control, { bearer: "gateway-token" })).toMatchObject({
    id: "gateway",
    scopes: ["gateway"],
  });
});

test("a token opens nothing after its expiry, and never more than its scopes", async () => {
  const { ctx, control } = world;
  const made = await createApiToken(ctx, { name: "CI", scopes: ["read"], expiresInDays: 1 });
  const actor = await authenticateToken(control, { bearer: made.token });
  await listKeys(world.as(actor));
  const failure = await failureOf(createKey(world.as(actor), { plan: "free" }), "forbidden");
  expect(failure.message).toContain("CI (scope read) may not manage API keys");
  const robot = world.as({ type: "token", id: "t", name: "Robot", scopes: ["tokens", "read"] });
  await createApiToken(robot, { name: "fine", scopes: ["read"] });
  const more = await failureOf(
    createApiToken(robot, { name: "more", scopes: ["read", "publish"] }),
    "forbidden",
  );
  expect(more.message).toContain("may not give a token the scope read publish");
  const past = new Date(control.clock.nowMs() - 1);
  await control.db.apiToken.update({ where: { id: made.id }, data: { expiresAt: past } });
  const late = await failureOf(
    authenticateToken(control, { bearer: made.token }),
    "unauthenticated",
  );
  expect(late.message).toContain("expired at");
});

test("who may not, what is not there and what is wrong is refused", async () => {
  const { ctx } = world;
  await failureOf(createKey(world.as(EDITOR), { plan: "free" }), "forbidden");
  await failureOf(revokeKey(world.as(VIEWER), { id: "x" }), "forbidden");
  await failureOf(createApiToken(world.as(EDITOR), { name: "n", scopes: ["admin"] }), "forbidden");
  await failureOf(getDirectory(world.as(VIEWER)), "forbidden");
  await failureOf(revokeKey(ctx, { id: "nothing" }), "not_found");
  const unknown = await failureOf(createKey(ctx, { plan: "gold" }), "invalid");
  expect(unknown.errors).toEqual([
    { path: "plan", message: 'plan must be one of free, paid, enterprise, got "gold"' },
  ]);
  const bad = await failureOf(createKey(ctx, { plan: "free", customer: "Not A Slug" }), "invalid");
  expect(bad.errors[0]?.path).toBe("customer");
});
