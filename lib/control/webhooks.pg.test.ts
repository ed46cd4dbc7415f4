import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, EDITOR, type TestControl } from "@/lib/testing/control";
import { failureOf } from "@/lib/testing/failure";
import { createWebhook } from "./create-webhook";
import { deleteWebhook } from "./delete-webhook";
import { listWebhooks } from "./list-webhooks";
import { isPublicAddress } from "./public-address";
import { raiseAlert } from "./raise-alert";
import { resolveAlert } from "./resolve-alert";
import { retryAfterMs, retryMs } from "./retry-webhook";
import { rotateWebhookSecret } from "./rotate-webhook-secret";
import { testWebhook } from "./test-webhook";
import { updateWebhook } from "./update-webhook";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl();
});
afterAll(() => world.close());

const NOWHERE = { name: "pager", url: "http://127.0.0.1:9/hook/very-secret" };

test("only who may manage webhooks sees or makes a channel, and neither secret nor address gets into database or audit", async () => {
  const { ctx } = world;
  const editor = { ...ctx, actor: EDITOR };
  await failureOf(createWebhook(editor, NOWHERE), "forbidden");
  await failureOf(listWebhooks(editor), "forbidden");
  const made = await createWebhook(ctx, NOWHERE);
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const stored = await ctx.db.webhookChannel.findUniqueOrThrow({ where: { id: made.id } });
  expect(stored.secret).not.toContain(made.secret.slice(6));
  const rotated = await rotateWebhookSecret(ctx, { id: made.id });
  expect(rotated.secret).not.toBe(made.secret);
  const off = await updateWebhook(ctx, { id: made.id, enabled: false });
  expect(off).toMatchObject({ enabled: false, name: "pager" });
  await deleteWebhook(ctx, { id: made.id });
  const audit = await ctx.db.audit.findMany({ where: { objectId: made.id } });
  expect(audit.map(({ action }) => action).sort()).toEqual([
    "webhook.create",
    "webhook.delete",
    "webhook.rotate",
    "webhook.update",
  ]);
  const said = JSON.stringify(
    audit.map(({ before, after, sentence, details }) => [before, after, sentence, details]),
  );
  for (const secret of ["very-secret", made.secret, rotated.secret])
    expect(said).not.toContain(secret);
});

test.each([
  ["ftp://example.test/x", "url must be"],
  ["http://user:word@example.test/", "without user"],
  ["javascript:alert(1)", "url must be"],
  ["not an address", "url must be"],
])("the address %s is refused", async (url, words) => {
  const failure = await failureOf(createWebhook(world.ctx, { name: "x", url }), "invalid");
  expect(failure.message).toContain(words);
});

test.each([
  ["http://127.0.0.1:9/", "127.0.0.1 is not of the public internet"],
  ["http://2130706433/", "127.0.0.1 is not of the public internet"],
  ["http://[::ffff:10.0.0.1]/", "is not of the public internet"],
  ["http://169.254.169.254/latest/meta-data", "169.254.169.254 is not of the public internet"],
  ["http://localhost:9/", "which is not of the public internet"],
])("nothing is sent to %s unless private addresses are allowed", async (url, words) => {
  const { id } = await createWebhook(world.ctx, { name: "inner", url });
  const { state, lastStatus, lastAnswer } = await testWebhook(world.ctx, { id });
  expect({ state, lastStatus }).toEqual({ state: "failed", lastStatus: null });
  expect(lastAnswer).toContain(words);
  await deleteWebhook(world.ctx, { id });
});

test.each([
  ["8.8.8.8", true],
  ["2606:4700::1111", true],
  ["100.64.0.1", false],
  ["fe80::1%eth0", false],
  ["fd00::1", false],
  ["::1", false],
  ["64:ff9b::7f00:1", false],
  ["2002:7f00:1::", false],
])("%s is public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test("a trouble that comes back before its end was told is told once, and only channels that want it hear", async () => {
  const { ctx } = world;
  const all = await createWebhook(ctx, NOWHERE);
  const other = await createWebhook(ctx, { ...NOWHERE, kinds: ["redis-down"] });
  const mild = await createWebhook(ctx, { ...NOWHERE, severities: ["info"] });
  const alert = { kind: "gateway-silent", subject: "gw-9", message: "Silent" } as const;
  const atMs = Date.now();
  await raiseAlert(ctx.db, { ...alert, atMs });
  await resolveAlert(ctx.db, { kinds: ["gateway-silent"], subject: "gw-9", atMs: atMs + 10 });
  await raiseAlert(ctx.db, { ...alert, atMs: atMs + 20 });
  const sent = await ctx.db.webhookDelivery.findMany({ orderBy: { seq: "asc" } });
  expect(sent.map(({ channelId, event }) => [channelId, event])).toEqual([
    [all.id, "alert.raised"],
  ]);
  await resolveAlert(ctx.db, { kinds: ["gateway-silent"], subject: "gw-9", atMs: atMs + 30 });
  const [raised, over] = await ctx.db.webhookDelivery.findMany({ orderBy: { seq: "asc" } });
  expect(over?.event).toBe("alert.resolved");
  expect((over?.nextAt.getTime() ?? 0) - (raised?.nextAt.getTime() ?? 0)).toBeGreaterThan(55_000);
  for (const { id } of [all, other, mild]) await deleteWebhook(ctx, { id });
});

test("waits double up to an hour, and what a receiver asks for is clamped both ways", () => {
  const waits = [1, 2, 3, 20, 1e9].map((attempts) => retryMs(attempts, () => 0.5));
  expect(waits).toEqual([5_000, 10_000, 20_000, 3_600_000, 3_600_000]);
  expect(retryMs(1, () => 0)).toBe(4_000);
  const asked = ["120", "9999999999", "Wed, 21 Oct 2099 07:28:00 GMT", "-5", "soon"];
  expect(asked.map((text) => retryAfterMs(text))).toEqual([120_000, 3_600_000, 3_600_000, 0, 0]);
});
