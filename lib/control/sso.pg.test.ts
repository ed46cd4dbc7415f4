import { afterAll, afterEach, expect, test } from "vitest";
import { createTestControl, type TestControl } from "../testing/control";
import { failureOf } from "../testing/failure";
import { type OidcServer, signInAtIssuer, startOidcServer } from "../testing/oidc-server";
import {
  finishSso,
  getSession,
  listAudit,
  listPeople,
  type SetCookie,
  startSso,
  updatePerson,
} from ".";
import type { OidcSettings } from "./oidc-settings";
import { parseSetCookies } from "./set-cookie";

const origin = "http://localhost:3999";
const redirectUri = `${origin}/api/auth/callback/oidc`;

let world: TestControl;
let issuer: OidcServer;
const opened: (() => Promise<void>)[] = [];
const close = async () => {
  for (const end of opened.splice(0).reverse()) await end();
};
afterEach(close);
afterAll(close);

const eve = { email: "eve@example.com", email_verified: true, name: "Eve" };

async function open(
  people: OidcServer["people"],
  settings: Partial<OidcSettings> = {},
  claimsIn: "id_token" | "userinfo" = "id_token",
) {
  issuer = await startOidcServer({ redirectUri, people, claimsIn });
  opened.push(issuer.close);
  world = await createTestControl({
    publicUrl: origin,
    oidc: {
      issuer: issuer.issuer,
      clientId: issuer.clientId,
      clientSecret: issuer.clientSecret,
      name: "Company account",
      roles: [],
      defaultRole: "viewer",
      ...settings,
    },
  });
  opened.push(world.close);
}

function headersOf(cookies: readonly SetCookie[]): Headers {
  const cookie = cookies
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join("; ");
  return new Headers({ origin, ...(cookie === "" ? {} : { cookie }) });
}

/** From the button to where the browser ends up, and who is signed in then. */
async function enter(login: string) {
  const { url, cookies } = await startSso(world.control, {
    headers: headersOf([]),
    next: "/versions",
  });
  const back = await signInAtIssuer(url, login);
  const response = await finishSso(world.control, {
    headers: headersOf(cookies),
    search: back.search,
  });
  const session = await getSession(world.control, {
    headers: headersOf(parseSetCookies(response.headers)),
  });
  return { to: response.headers.get("location"), session, back, cookies };
}

test.each(["id_token", "userinfo"] as const)(
  "who the issuer vouches for comes in as viewer, once with an account, claims in the %s",
  async (claimsIn) => {
    await open({ eve }, {}, claimsIn);
    const first = await enter("eve");
    expect(first.to).toBe(`${origin}/versions`);
    expect(first.session?.user).toMatchObject({ email: eve.email, name: "Eve", role: "viewer" });
    const again = await enter("eve");
    expect(again.session?.user.id).toBe(first.session?.user.id);
    const { items } = await listPeople(world.ctx);
    expect(items).toMatchObject([{ email: eve.email, ways: ["single sign-on"] }]);
    const audit = await listAudit(world.ctx, { action: "user." });
    expect(audit.items.map(({ sentence }) => sentence)).toEqual([
      "Eve (eve@example.com) joined as viewer, by single sign-on",
    ]);
    const accounts = await world.control.db.account.findMany();
    expect(accounts).toMatchObject([{ accessToken: null, idToken: null, refreshToken: null }]);
  },
);

test("a disabled person does not come in, and no session is opened", async () => {
  await open({ eve });
  const { session } = await enter("eve");
  await updatePerson(world.ctx, { id: session?.user.id ?? "", disabled: true });
  const late = await enter("eve");
  expect(late.to).toBe(`${origin}/sign-in?error=disabled`);
  expect(late.session).toBeNull();
  expect(await world.control.db.session.count()).toBe(0);
  const { items } = await listAudit(world.ctx, { kind: "session" });
  expect(items.map(({ sentence }) => sentence)).toEqual([
    "A sign-in by single sign-on from ip:127.0.0.1 was refused: the account is disabled",
    "Eve (eve@example.com) signed in by single sign-on from ip:127.0.0.1",
  ]);
});

test("an address that the issuer has not verified opens no account, its own or another's", async () => {
  await open({ mallory: { ...eve, email_verified: false } });
  await world.control.db.user.create({
    data: { id: "e", email: eve.email, name: "Eve", role: "admin" },
  });
  const { to, session } = await enter("mallory");
  expect(to).toBe(`${origin}/sign-in?error=email_not_verified`);
  expect(session).toBeNull();
  expect(await world.control.db.account.count()).toBe(0);
});

test("a verified address links the account that is here, with its role", async () => {
  await open({ eve });
  await world.control.db.user.create({
    data: { id: "e", email: eve.email, name: "Eve", role: "editor" },
  });
  expect((await enter("eve")).session?.user).toMatchObject({ id: "e", role: "editor" });
  const { items } = await listAudit(world.ctx, { action: "user.link" });
  expect(items).toHaveLength(1);
});

test("a claim sets the role at each sign-in, but never takes the last admin away", async () => {
  const roles = [
    { value: "root", role: "admin" as const },
    { value: "on-call", role: "responder" as const },
  ];
  await open(
    { eve: { ...eve, groups: ["staff", "on-call"] } },
    { claim: "groups", roles, defaultRole: null },
  );
  const people = issuer.people;
  expect((await enter("eve")).session?.user.role).toBe("responder");
  people.eve = { ...eve, groups: "root" };
  expect((await enter("eve")).session?.user.role).toBe("admin");
  people.eve = { ...eve, groups: ["on-call"] };
  expect((await enter("eve")).session?.user.role).toBe("admin");
  await world.control.db.user.create({
    data: { id: "a", email: "a@x.test", name: "A", role: "admin" },
  });
  expect((await enter("eve")).session?.user.role).toBe("responder");
  people.eve = { ...eve, groups: ["staff"] };
  expect((await enter("eve")).to).toBe(`${origin}/sign-in?error=no_role`);
  const { items } = await listAudit(world.ctx, { action: "user.role" });
  expect(items.map(({ sentence }) => sentence)).toEqual([
    "Single sign-on gave eve@example.com the role responder, it was admin",
    "Single sign-on gave eve@example.com the role admin, it was responder",
  ]);
});

test("an answer of the issuer works once, and only in the browser that asked", async () => {
  await open({ eve });
  const { back, cookies } = await enter("eve");
  const sessions = await world.control.db.session.count();
  for (const given of [cookies, []]) {
    const response = await finishSso(world.control, {
      headers: headersOf(given),
      search: back.search,
    });
    expect(response.headers.get("location")).toContain("error=");
  }
  expect(await world.control.db.session.count()).toBe(sessions);
});

test("while the issuer is away single sign-on says so, and works once it is back", async () => {
  await open({ eve });
  const { control } = world;
  const settings = control.config.oidc;
  if (settings === undefined) throw new Error("no issuer");
  const real = settings.issuer;
  settings.issuer = "http://127.0.0.1:9";
  const failure = await failureOf(
    startSso(control, { headers: headersOf([]), next: "/rules" }),
    "unavailable",
  );
  expect(failure.message).toContain("http://127.0.0.1:9 does not answer as it should");
  settings.issuer = real;
  expect((await enter("eve")).session).not.toBeNull();
});
