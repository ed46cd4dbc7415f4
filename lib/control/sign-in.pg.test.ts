import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestControl, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import {
  ensureAdmin,
  getSession,
  listAudit,
  type SetCookie,
  sessionActor,
  signIn,
  signOut,
} from ".";

const email = "dana@example.com";
const password = "correct horse";
const origin = "https://console.example.com";

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl({ publicUrl: origin });
  await ensureAdmin(world.control, { email: "Dana@Example.com", password, resetPassword: false });
});
afterAll(() => world.close());

function enter(
  fields: { email?: string; password?: string; headers?: Record<string, string> } = {},
) {
  const headers = new Headers({ origin, "x-forwarded-for": "203.0.113.9", ...fields.headers });
  return signIn(world.control, { email, password, ...fields, headers });
}

function cookieOf(cookies: readonly SetCookie[]): Headers {
  const cookie = cookies
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join("; ");
  return new Headers({ cookie, origin });
}

test("the admin signs in, is recognised by the cookie, and signs out for good", async () => {
  const { session, cookies } = await enter({ email: "DANA@example.com " });
  expect(sessionActor(session)).toEqual({
    type: "user",
    id: session.user.id,
    name: "dana",
    role: "admin",
  });
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ httpOnly: true, secure: true, sameSite: "lax", path: "/" });
  const headers = cookieOf(cookies);
  expect((await getSession(world.control, { headers }))?.user.email).toBe(email);
  const gone = await signOut(world.control, { headers });
  expect(gone.cookies.find(({ name }) => name === cookies[0]?.name)?.maxAge).toBe(0);
  expect(await getSession(world.control, { headers })).toBeNull();
});

test("a forged cookie is nobody", async () => {
  const { cookies } = await enter();
  const forged = cookies.map((cookie) => ({
    ...cookie,
    value: cookie.value.replace(/\.[^.]*$/, ".c2lnbmF0dXJl"),
  }));
  expect(await getSession(world.control, { headers: cookieOf(forged) })).toBeNull();
  expect(await getSession(world.control, { headers: new Headers() })).toBeNull();
});

test("a wrong password and an unknown address are answered alike", async () => {
  const wrong = await failureOf(enter({ password: "wrong" }), "unauthenticated");
  const unknown = await failureOf(enter({ email: "nobody@example.com" }), "unauthenticated");
  expect(wrong.message).toBe(unknown.message);
});

test("a form of another site, or of none, is refused", async () => {
  const foreign = await failureOf(
    enter({ headers: { origin: "https://evil.example" } }),
    "forbidden",
  );
  expect(foreign.message).toBe(
    'a form of "https://evil.example" is refused: this console is at https://console.example.com (HEADGATE_PUBLIC_URL)',
  );
  await failureOf(enter({ headers: { origin: "null" } }), "forbidden");
  const headers = new Headers({ origin: "null" });
  await failureOf(signOut(world.control, { headers }), "forbidden");
});

test("a form of the host that was asked for signs in, whatever the public address says", async () => {
  const tunnelled = { origin: "http://localhost:13000" };
  await failureOf(enter({ headers: { ...tunnelled, host: "localhost:3000" } }), "forbidden");
  const direct = await enter({ headers: { ...tunnelled, host: "localhost:13000" } });
  expect(direct.session.user.email).toBe(email);
  const proxied = { host: "console:3000", "x-forwarded-host": "localhost:13000" };
  const { cookies } = await enter({ headers: { ...tunnelled, ...proxied } });
  const headers = cookieOf(cookies);
  headers.set("origin", tunnelled.origin);
  headers.set("host", "localhost:13000");
  await signOut(world.control, { headers });
  expect(await getSession(world.control, { headers })).toBeNull();
});

test("after ten wrong passwords in a minute even the right one has to wait", async () => {
  const other = "eve@example.com";
  await ensureAdmin(world.control, { email: other, password, resetPassword: false });
  for (let i = 0; i < 10; i += 1) {
    const headers = { "x-forwarded-for": `203.0.113.${i}` };
    await failureOf(enter({ email: other, password: "wrong", headers }), "unauthenticated");
  }
  const failure = await failureOf(enter({ email: other }), "unavailable");
  expect(failure.message).toMatch(/^too many sign-in attempts: try again in \d+ s$/);
  await enter();
});

test("the admin's password changes only when it was set on purpose, and that ends the sessions", async () => {
  const { cookies } = await enter();
  await ensureAdmin(world.control, { email, password: "made anew", resetPassword: false });
  expect(await getSession(world.control, { headers: cookieOf(cookies) })).not.toBeNull();
  await ensureAdmin(world.control, { email, password, resetPassword: true });
  expect(await getSession(world.control, { headers: cookieOf(cookies) })).not.toBeNull();
  await ensureAdmin(world.control, { email, password: "set on purpose", resetPassword: true });
  expect(await getSession(world.control, { headers: cookieOf(cookies) })).toBeNull();
  await failureOf(enter(), "unauthenticated");
  await enter({ password: "set on purpose" });
  const { items } = await listAudit(world.ctx, { action: "user." });
  expect(items.map(({ action }) => action)).toEqual([
    "user.password",
    "user.create",
    "user.create",
  ]);
  expect(JSON.stringify(items)).not.toContain("set on purpose");
});

test("nobody can sign up", async () => {
  const auth = await world.control.auth();
  const response = await auth.handler(
    new Request(`${origin}/api/auth/sign-up/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ email: "new@example.com", password, name: "New" }),
    }),
  );
  expect(response.ok).toBe(false);
  expect(await world.control.db.user.count({ where: { email: "new@example.com" } })).toBe(0);
});
