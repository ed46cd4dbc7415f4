import { afterAll, beforeAll, expect, test } from "vitest";
import { ManualClock } from "../clock";
import { createTestControl, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import {
  acceptInvitation,
  changePassword,
  createControl,
  endSessions,
  findInvitation,
  getSession,
  invitePerson,
  listAudit,
  listPeople,
  listSessions,
  makePasswordLink,
  putDraftItem,
  removePerson,
  type Session,
  type SetCookie,
  sessionActor,
  signIn,
  updatePerson,
  withdrawInvitation,
} from ".";
import { resetAdmin } from "./reset-admin";

const origin = "https://console.example.com";
const password = "correct horse";
const clock = new ManualClock(Date.now());

let world: TestControl;
beforeAll(async () => {
  world = await createTestControl({ publicUrl: origin, clock });
});
afterAll(() => world.close());

let address = 0;
function headersOf(cookies: readonly SetCookie[] = []): Headers {
  address += 1;
  const cookie = cookies
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join("; ");
  return new Headers({
    origin,
    "x-forwarded-for": `198.18.${address >> 8}.${address & 255}`,
    "user-agent": "Test/1",
    ...(cookie === "" ? {} : { cookie }),
  });
}

const tokenOf = (link: string) => new URL(link).hash.slice(1);

async function sessionOf(cookies: readonly SetCookie[]): Promise<Session> {
  const session = await getSession(world.control, { headers: headersOf(cookies) });
  if (session === null) throw new Error("nobody is signed in");
  return session;
}

async function join(email: string, role: "viewer" | "editor" | "admin" = "viewer") {
  const { link } = await invitePerson(world.ctx, { email, role });
  const { cookies } = await acceptInvitation(world.control, {
    token: tokenOf(link),
    name: `${email} by name`,
    password,
    headers: headersOf(),
  });
  return { cookies, session: await sessionOf(cookies) };
}

const enter = (email: string, word = password) =>
  signIn(world.control, { email, password: word, headers: headersOf() });

test("an invitation opens once, makes who it was for with its role, and signs in", async () => {
  const { link, id } = await invitePerson(world.ctx, { email: "Eve@Example.com", role: "editor" });
  expect(link).toMatch(/^https:\/\/console\.example\.com\/welcome#[0-9A-Za-z]{40}$/);
  expect((await listPeople(world.ctx)).invitations).toMatchObject([
    { id, email: "eve@example.com" },
  ]);
  const token = tokenOf(link);
  expect(await findInvitation(world.control, { token })).toMatchObject({ role: "editor" });
  const use = () =>
    acceptInvitation(world.control, { token, name: "Eve", password, headers: headersOf() });
  const both = await Promise.allSettled([use(), use()]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await failureOf(use(), "not_found");
  const { session } = await enter("eve@example.com");
  expect(session.user).toMatchObject({ name: "Eve", role: "editor" });
  expect((await listPeople(world.ctx)).invitations).toEqual([]);
  const stored = JSON.stringify(await world.control.db.invitation.findMany());
  expect(stored).not.toContain(token);
  expect(
    (await listAudit(world.ctx, { action: "user." })).items.map((row) => row.sentence),
  ).toEqual([
    "Eve (eve@example.com) joined as editor, invited by Dana",
    expect.stringMatching(/^Dana invited eve@example.com as editor, until /),
  ]);
});

test("a link that was withdrawn, replaced or has expired opens nothing", async () => {
  const first = await invitePerson(world.ctx, { email: "late@example.com", role: "viewer" });
  const second = await invitePerson(world.ctx, { email: "late@example.com", role: "viewer" });
  const opens = (link: string) => findInvitation(world.control, { token: tokenOf(link) });
  await failureOf(opens(first.link), "not_found");
  await opens(second.link);
  await withdrawInvitation(world.ctx, { id: second.id });
  await failureOf(opens(second.link), "not_found");
  const third = await invitePerson(world.ctx, {
    email: "late@example.com",
    role: "viewer",
    expiresInHours: 1,
  });
  clock.advance(3_600_001);
  const failure = await failureOf(opens(third.link), "not_found");
  expect(failure.message).toContain("was used, withdrawn or has expired");
  await failureOf(
    invitePerson(world.ctx, { email: "eve@example.com", role: "viewer" }),
    "conflict",
  );
  await failureOf(invitePerson(world.ctx, { email: "nobody", role: "viewer" }), "invalid");
});

test("the last admin is neither demoted, disabled nor removed, not even by two at once", async () => {
  const { session: one } = await join("one@example.com", "admin");
  const last = { id: one.user.id };
  for (const change of [{ role: "viewer" as const }, { disabled: true }]) {
    const failure = await failureOf(updatePerson(world.ctx, { ...last, ...change }), "conflict");
    expect(failure.message).toBe(
      "one@example.com is the last admin: make somebody else an admin first",
    );
  }
  await failureOf(removePerson(world.ctx, last), "conflict");
  const { session: two } = await join("two@example.com", "admin");
  const both = await Promise.allSettled([
    updatePerson(world.as(sessionActor(one)), { id: two.user.id, role: "viewer" }),
    updatePerson(world.as(sessionActor(two)), { id: one.user.id, role: "viewer" }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const admins = (await listPeople(world.ctx)).items.filter(({ role }) => role === "admin");
  expect(admins).toHaveLength(1);
});

test("who is disabled or removed is out at once, by the session and by the password", async () => {
  const { cookies, session } = await join("ban@example.com", "editor");
  const { id } = session.user;
  await putDraftItem(world.as(sessionActor(session)), {
    kind: "plan",
    id: "gold",
    body: { id: "gold", name: "Gold" },
  });
  await updatePerson(world.ctx, { id, disabled: true });
  const present = () => getSession(world.control, { headers: headersOf(cookies) });
  expect(await present()).toBeNull();
  await failureOf(enter("ban@example.com"), "unauthenticated");
  await updatePerson(world.ctx, { id, disabled: false, role: "viewer" });
  expect(await present()).toBeNull();
  expect((await enter("ban@example.com")).session.user.role).toBe("viewer");
  await removePerson(world.ctx, { id });
  await failureOf(enter("ban@example.com"), "unauthenticated");
  expect(await world.control.db.draft.count({ where: { owner: `user:${id}` } })).toBe(0);
  const { items } = await listAudit(world.ctx, { object: id });
  expect(items.map(({ action }) => action)).toEqual([
    "user.remove",
    "session.sign-in",
    "user.enable",
    "user.role",
    "session.refuse",
    "user.disable",
    "session.sign-in",
    "user.join",
  ]);
});

test("people see and end their own sessions, an admin everybody's", async () => {
  const { cookies, session } = await join("many@example.com");
  const { id } = session.user;
  const own = world.as(sessionActor(session));
  const phone = (await enter("many@example.com")).cookies;
  const { items } = await listSessions(own, { id, currentId: session.id });
  expect(items).toHaveLength(2);
  expect(items.find(({ current }) => current)).toMatchObject({ userAgent: "Test/1" });
  expect(await endSessions(own, { id, currentId: session.id })).toEqual({ ended: 1 });
  expect(await getSession(world.control, { headers: headersOf(phone) })).toBeNull();
  expect((await sessionOf(cookies)).id).toBe(session.id);
  const { session: other } = await join("other@example.com");
  await failureOf(listSessions(own, { id: other.user.id }), "forbidden");
  await failureOf(endSessions(own, { id: other.user.id }), "forbidden");
  await failureOf(endSessions(own, { id, sessionId: other.id }), "not_found");
  await endSessions(world.ctx, { id: other.user.id });
  expect(await world.control.db.session.count({ where: { userId: other.user.id } })).toBe(0);
});

test("a new password needs the present one, ends the other sessions, and guesses are limited", async () => {
  const email = "word@example.com";
  const { session, cookies } = await join(email);
  const own = world.as(sessionActor(session));
  const phone = (await enter(email)).cookies;
  const change = (current: string, next: string) =>
    changePassword(own, { current, password: next, currentId: session.id });
  const wrong = await failureOf(change("wrong", "another horse"), "invalid");
  expect(wrong.errors).toEqual([{ path: "current", message: "the present password is wrong" }]);
  await failureOf(change(password, "short"), "invalid");
  expect(await change(password, "another horse")).toEqual({ ended: 1 });
  expect(await getSession(world.control, { headers: headersOf(phone) })).toBeNull();
  await sessionOf(cookies);
  await failureOf(enter(email), "unauthenticated");
  await enter(email, "another horse");
  for (let i = 0; i < 10; i += 1) await failureOf(change("wrong", "another horse"), "invalid");
  await failureOf(change("another horse", "third horse"), "unavailable");
});

test("a password link sets a new password once and ends the sessions", async () => {
  const { session, cookies } = await join("forgot@example.com");
  const { link } = await makePasswordLink(world.ctx, { id: session.user.id });
  await acceptInvitation(world.control, {
    token: tokenOf(link),
    password: "remembered now",
    headers: headersOf(),
  });
  expect(await getSession(world.control, { headers: headersOf(cookies) })).toBeNull();
  await failureOf(enter("forgot@example.com"), "unauthenticated");
  expect((await enter("forgot@example.com", "remembered now")).session.user.role).toBe("viewer");
});

test("`admin reset` lets somebody in when nobody can sign in, by password or by link", async () => {
  const { control } = world;
  const { session } = await join("locked@example.com");
  await updatePerson(world.ctx, { id: session.user.id, disabled: true });
  for (let i = 0; i < 11; i += 1) await enter("locked@example.com", "wrong").catch(() => null);
  const byWord = await resetAdmin(control, {
    email: "Locked@example.com",
    password: "set on the machine",
    publicUrl: origin,
  });
  expect(byWord).toMatchObject({ created: false, link: null });
  expect((await enter("locked@example.com", "set on the machine")).session.user.role).toBe("admin");
  const byLink = await resetAdmin(control, {
    email: "new@example.com",
    password: null,
    publicUrl: origin,
  });
  expect(byLink.created).toBe(true);
  await acceptInvitation(control, {
    token: tokenOf(byLink.link ?? ""),
    password: "chosen in the browser",
    headers: headersOf(),
  });
  expect((await enter("new@example.com", "chosen in the browser")).session.user.role).toBe("admin");
});

test("wrong passwords are counted over all replicas", async () => {
  await join("target@example.com");
  const { config, log } = world.control;
  const replica = createControl(config, { log, clock });
  try {
    const attempt = (at: typeof replica, word: string) =>
      signIn(at, { email: "target@example.com", password: word, headers: headersOf() });
    for (let i = 0; i < 5; i += 1) {
      await failureOf(attempt(world.control, "wrong"), "unauthenticated");
      await failureOf(attempt(replica, "wrong"), "unauthenticated");
    }
    for (const at of [world.control, replica]) {
      const failure = await failureOf(attempt(at, password), "unavailable");
      expect(failure.message).toContain("too many sign-in attempts");
    }
  } finally {
    await replica.close();
  }
});

test("nobody gives a role that goes further than their own rights", async () => {
  const robot = world.as({ type: "token", id: "t", name: "HR", scopes: ["people", "read"] });
  await invitePerson(robot, { email: "robot@example.com", role: "viewer" });
  const failure = await failureOf(
    invitePerson(robot, { email: "robot@example.com", role: "publisher" }),
    "forbidden",
  );
  expect(failure.message).toContain(
    "HR (scope people read) may not give somebody the role publisher",
  );
});
