import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { LiveSchema } from "@/components/shell/live";
import { endSessions, ensureAdmin, SYSTEM, setRuleMode, signIn, withActor } from "@/lib/control";
import { type ConsoleApi, openConsoleApi } from "@/lib/testing/console-api";
import { cuttingProxy, listenTo, serveStream } from "@/lib/testing/event-stream";
import { waitFor } from "@/lib/testing/wait-for";
import { GET } from "./route";

let api: ConsoleApi;
let cookie: string;
let server: Awaited<ReturnType<typeof serveStream>>;
let open: ReturnType<typeof listenTo>[] = [];

beforeAll(async () => {
  api = await openConsoleApi({ demo: true });
  server = await serveStream(GET);
});
beforeEach(async () => {
  await Promise.all(open.map((each) => each.close()));
  open = [];
  cookie = await signedIn();
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  await server.kill();
  await api.close();
});

async function signedIn(): Promise<string> {
  const credentials = { email: "dana@example.test", password: "correct horse" };
  await ensureAdmin(api.control, { ...credentials, resetPassword: true });
  const headers = new Headers({ origin: new URL(api.control.config.publicUrl ?? "").origin });
  const { cookies } = await signIn(api.control, { ...credentials, headers });
  return cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join("; ");
}

function follow(headers: Record<string, string> = {}, { url = server.url, path = "/live" } = {}) {
  const stream = listenTo(`${url}${path}`, { cookie, ...headers });
  open.push(stream);
  return stream;
}

let isShadow = true;
async function publishNext(): Promise<number> {
  isShadow = !isShadow;
  const mode = isShadow ? "shadow" : "off";
  const ctx = withActor(api.control, SYSTEM);
  return (await setRuleMode(ctx, { id: "new-links-free", mode, reason: "test" })).version;
}

const isOf = (version: number) => (data: unknown) =>
  LiveSchema.parse(data).overview.version === version;

test("an open page hears of a publish by its commit, not by a timer", async () => {
  const page = follow();
  await page.next("state");
  const took: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const version = await publishNext();
    const beganMs = performance.now();
    await page.next("state", isOf(version));
    took.push(performance.now() - beganMs);
  }
  // By the timer alone it would be 1.25 s on average.
  expect(took.toSorted((a, b) => a - b)[2]).toBeLessThan(1_000);
});

test("a page whose connection a proxy cut goes on from where it was: told only what is news", async () => {
  const proxy = await cuttingProxy(server.port);
  const before = follow({}, proxy);
  const { id } = await before.next("state");
  proxy.cut();
  await waitFor(() => before.isOver());
  const same = follow({ "last-event-id": id ?? "" }, proxy);
  await same.next("change");
  expect(same.heard.filter(({ event }) => event === "state")).toEqual([]);
  proxy.cut();
  const version = await publishNext();
  const after = follow({}, { url: proxy.url, path: `/live?last=${id}` });
  await after.next("state", isOf(version));
  await proxy.close();
});

test("a console killed and started again is followed on, and what was published meanwhile is told", async () => {
  const before = follow();
  const { id } = await before.next("state");
  const { port } = server;
  await server.kill();
  await waitFor(() => before.isOver());
  const version = await publishNext();
  server = await serveStream(GET, port);
  const after = follow({ "last-event-id": id ?? "" });
  expect((await after.next("state", isOf(version))).id).not.toBe(id);
});

test("Postgres cutting the listening connection is mended, and publishes are told at once again", async () => {
  const page = follow();
  await page.next("state");
  const listening = () =>
    api.control.db.$queryRaw<{ pid: number }[]>`
      SELECT pid FROM pg_stat_activity
      WHERE application_name = 'headgate-changes' AND datname = current_database()`;
  const [first] = await waitFor(async () => {
    const rows = await listening();
    return rows.length === 1 && rows;
  });
  await api.control.db.$queryRaw`SELECT pg_terminate_backend(${first?.pid}::int)`;
  await waitFor(async () => (await listening()).some(({ pid }) => pid !== first?.pid), {
    timeoutMs: 15_000,
  });
  const version = await publishNext();
  await page.next("state", isOf(version));
});

test("a stream ends with its session, and tells so", async () => {
  const page = follow();
  await page.next("state");
  const { id } = await api.control.db.user.findFirstOrThrow({
    where: { email: "dana@example.test" },
  });
  await endSessions(withActor(api.control, SYSTEM), { id });
  expect((await page.next("end")).data).toEqual({ reason: "signed out" });
  await waitFor(() => page.isOver());
});

test("nobody signed in follows nothing", async () => {
  const page = follow({ cookie: "" });
  expect((await page.next("end")).data).toEqual({ reason: "signed out" });
  expect(page.heard).toHaveLength(1);
});

test("one person's connections are bounded: one more gets the state once, and is sent away for a while", async () => {
  const many = Array.from({ length: 20 }, () => follow());
  await Promise.all(many.map((each) => each.next("state")));
  const more = follow();
  expect((await more.next("end")).data).toEqual({ reason: "busy" });
  expect(more.heard.map(({ event }) => event)).toEqual(["state", "end"]);
  await many[0]?.close();
  await waitFor(async () => {
    const again = follow();
    await again.next("state");
    return again.heard.every(({ event }) => event !== "end") && !again.isOver();
  });
});
