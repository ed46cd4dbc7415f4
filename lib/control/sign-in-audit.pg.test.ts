import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../clock";
import { AppError } from "../core/errors";
import { countAttempt } from "../db/attempts";
import { createLog } from "../log";
import { createTestControl, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import {
  type Control,
  createControl,
  ensureAdmin,
  listAudit,
  type SetCookie,
  signIn,
  signOut,
} from ".";
import { recordRefusedSignIn } from "./sign-in-audit";

const email = "dana@example.com";
const password = "correct horse";
const origin = "https://console.example.com";
const clock = new ManualClock(Date.now());

let world: TestControl;
let second: Control;
beforeAll(async () => {
  world = await createTestControl({ publicUrl: origin, clock });
  const log = createLog({ name: "second", level: "silent" });
  second = createControl(world.control.config, { log, clock });
  await ensureAdmin(world.control, { email, password, resetPassword: false });
});
afterAll(async () => {
  await second.close();
  await world.close();
});
// Each test meets windows of its own.
beforeEach(() => clock.advance(2 * 3_600_000));

type Enter = { email?: string; password?: string; from?: string; control?: Control };

function enter({ from = "203.0.113.9", control = world.control, ...given }: Enter = {}) {
  const headers = new Headers({ origin, "x-forwarded-for": from });
  return signIn(control, { email, password, ...given, headers });
}

const outcome = (entering: Promise<unknown>) =>
  entering.then(
    () => "in",
    (error: unknown) => (error instanceof AppError ? error.code : "broken"),
  );

async function sessionRows() {
  const { items } = await listAudit(world.ctx, { kind: "session", limit: 500 });
  return items;
}

function headersOf(cookies: readonly SetCookie[]): Headers {
  const pairs = cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
  return new Headers({ origin, cookie: pairs.join("; ") });
}

test("who signs in and out, and who tried, is in the log by a client's id, and no password is", async () => {
  const { session, cookies } = await enter({ from: "2001:db8:7::9" });
  await failureOf(enter({ password: "wrong horse" }), "unauthenticated");
  await failureOf(enter({ email: "typed password!" }), "unauthenticated");
  await signOut(world.control, { headers: headersOf(cookies) });
  await signOut(world.control, { headers: headersOf(cookies) });
  const [out, unknown, wrong, entered, ...older] = await sessionRows();
  expect(older).toEqual([]);
  const dana = { id: session.user.id, type: "user" };
  expect(entered).toMatchObject({
    action: "session.sign-in",
    actor: dana,
    objectId: dana.id,
    sentence: `dana (${email}) signed in by password from ip:2001:db8:7::/64`,
  });
  expect(wrong).toMatchObject({
    action: "session.refuse",
    actor: { type: "system" },
    objectId: dana.id,
    sentence: `A sign-in to ${email} by password from ip:203.0.113.9 was refused: the password is wrong`,
  });
  expect(unknown).toMatchObject({
    objectId: "ip:203.0.113.9",
    sentence:
      "A sign-in to an account that does not exist by password from ip:203.0.113.9 was refused: the password is wrong",
  });
  expect(out).toMatchObject({ action: "session.sign-out", actor: dana, objectId: dana.id });
  expect(JSON.stringify(await sessionRows())).not.toMatch(/horse|typed password/);
});

test("an attack fills the log with a hundred rows an hour, and the log says how many more there were", async () => {
  const before = (await sessionRows()).length;
  const refused = (way: "password" | "single sign-on") =>
    recordRefusedSignIn(world.control, {
      account: email,
      address: "ip:203.0.113.1",
      way,
      why: "no",
    });
  for (let i = 0; i < 13; i += 1)
    await Promise.all(Array.from({ length: 10 }, () => refused("password")));
  const rows = await sessionRows();
  expect(rows.length - before).toBe(101);
  expect(rows[0]?.sentence).toMatch(/^100 sign-ins by password were refused within an hour/);
  await refused("single sign-on");
  expect((await sessionRows())[0]?.action).toBe("session.refuse");
  clock.advance(3_600_000);
  await refused("password");
  const [next, left] = await sessionRows();
  expect(next?.action).toBe("session.refuse");
  expect(left?.sentence).toMatch(/^30 more refused sign-ins by password are not listed/);
});

describe("attempts are counted over all replicas", () => {
  test("two consoles together let ten guesses at an account a minute through", async () => {
    const guesses = Array.from({ length: 24 }, (_, i) =>
      outcome(
        enter({
          email: "eve@example.com",
          from: `203.0.113.${i}`,
          control: i % 2 === 0 ? world.control : second,
        }),
      ),
    );
    const outcomes = await Promise.all(guesses);
    expect(outcomes.filter((each) => each === "unauthenticated")).toHaveLength(10);
    expect(outcomes.filter((each) => each === "unavailable")).toHaveLength(14);
  });

  test("guessers lock out each other, not the owner where they signed in before", async () => {
    await enter({ from: "198.51.100.7" });
    await enter({ from: "127.0.0.1" });
    const guess = (i: number) => outcome(enter({ password: "wrong", from: `203.0.113.${i}` }));
    for (let i = 0; i < 11; i += 1) await guess(i);
    expect(await guess(12)).toBe("unavailable");
    expect(await outcome(enter({ from: "192.0.2.1" }))).toBe("unavailable");
    expect(await outcome(enter({ from: "198.51.100.7" }))).toBe("in");
    expect(await outcome(enter({ from: "127.0.0.1" }))).toBe("in");
  });

  test("an address has thirty attempts a minute, and they end though somebody goes on trying", async () => {
    const from = "192.0.2.77";
    const key = `sign-in from ip:${from}`;
    const count = () => countAttempt(second.db, { key, windowMs: 60_000, nowMs: clock.nowMs() });
    for (let i = 0; i < 29; i += 1) await count();
    expect(await outcome(enter({ from }))).toBe("in");
    for (let i = 0; i < 5; i += 1) {
      clock.advance(10_000);
      expect(await outcome(enter({ from })), `${i}`).toBe("unavailable");
    }
    clock.advance(10_000);
    expect(await outcome(enter({ from }))).toBe("in");
  });
});
