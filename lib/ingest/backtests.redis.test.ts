import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type Actor,
  addLogPart,
  beginLog,
  cancelBacktest,
  createBacktest,
  createKey,
  deleteBacktest,
  deleteBacktestLog,
  endLog,
  getBacktest,
  getBacktestDemand,
  getDraftContent,
  listBacktestLogs,
  listBacktests,
  putDraftItem,
  SYSTEM,
  uploadLog,
  withActor,
} from "../control";
import { takeTape } from "../control/take-tape";
import { estimateLimit } from "../core/backtest-estimate";
import { decodeDemand } from "../core/demand-bytes";
import { compileLimit } from "../core/plan-limits";
import type { TapeRequest } from "../core/tape-block";
import { temporaryFolder } from "../testing/gateway";
import { tokenBucketRule } from "../testing/rules";
import { sharedRedisUrl } from "../testing/services";
import { tapeEntry, tapeRequest } from "../testing/tape";
import { waitFor } from "../testing/wait-for";
import { type ControlWorld, controlWorld } from "../testing/worker";
import { KEPT_MS, retain } from "./retention";
import { runBacktest } from "./run-backtest";
import { type BacktestProgram, claimBacktest, runBacktests } from "./run-backtests";

const EDITOR: Actor = { type: "user", id: "e1", name: "Ed", role: "editor" };
const VIEWER: Actor = { type: "user", id: "v1", name: "Vi", role: "viewer" };
const SECRET = "a secret that only tests know";
const start = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const range = { from: new Date(start).toISOString(), to: new Date(start + 600_000).toISOString() };
const onTape = { kind: "tape", ...range } as const;

let world: ControlWorld;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let program: BacktestProgram;
const running: (() => Promise<void>)[] = [];

beforeAll(async () => {
  world = await controlWorld();
  folder = await temporaryFolder();
  program = {
    file: fileURLToPath(new URL("../../bin/backtest.ts", import.meta.url)),
    execArgv: ["--import", "tsx"],
    env: {
      ...process.env,
      DATABASE_URL: world.database.url,
      REDIS_URL: sharedRedisUrl(),
      HEADGATE_SECRET: SECRET,
      HEADGATE_DATA: folder.path,
      HEADGATE_LOG_LEVEL: "error",
    },
  };
  await recordTape();
});
afterAll(async () => {
  await stopAll();
  await folder.remove();
  await world.close();
});
beforeEach(stopAll);

async function stopAll() {
  await Promise.all(running.splice(0).map((stop) => stop()));
}

async function startLoop(how: BacktestProgram = program) {
  const stopping = new AbortController();
  const ended = runBacktests(await world.openWorker(), how, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  running.push(stop);
  return stop;
}

const ctx = (actor: Actor = EDITOR) => withActor(world.control, actor);

/** Two gateways whose blocks overlap: key:a sends 20 in a minute, key:b 5, an address one. */
async function recordTape() {
  const entry = (gateway: string, sequence: number, requests: TapeRequest[]) => ({
    id: `${gateway}-${sequence}`,
    block: tapeEntry({ environment: world.control.environment, gateway, sequence, requests }),
  });
  const many = (client: string, times: number, everyMs: number, atMs = start) =>
    Array.from({ length: times }, (_, n) => tapeRequest({ atMs: atMs + n * everyMs, client }));
  const anonymous = tapeRequest({
    atMs: start + 1_000,
    client: "ip:198.51.100.7",
    plan: "anonymous",
    customer: null,
    ip: "198.51.100.7",
    route: "other",
    refused: true,
  });
  await takeTape(world.control, {
    source: "test",
    received: [
      entry("gw-1", 1, many("key:a", 10, 2_000)),
      entry("gw-2", 1, many("key:a", 10, 2_000, start + 1_000)),
      entry("gw-2", 3, [...many("key:b", 5, 1_000), anonymous]),
      entry("gw-1", 2, many("key:a", 3, 1_000, start + 3_000_000)),
    ],
  });
}

const rule = tokenBucketRule({
  id: "few",
  mode: "off",
  limit: { default: { rate: 6, per: "1h", burst: 6 } },
});

async function ended(id: string, timeoutMs = 15_000) {
  await waitFor(
    async () => {
      const { state } = await getBacktest(ctx(VIEWER), { id });
      return state !== "waiting" && state !== "running";
    },
    { timeoutMs },
  );
  return getBacktest(ctx(VIEWER), { id });
}

/** As the process that a worker starts does it. */
async function run(id: string) {
  const { db, config, keys, clock } = world.control;
  const claimed = await claimBacktest(world.control);
  expect(claimed?.id).toBe(id);
  const { claim: worker = "" } = claimed ?? {};
  await runBacktest({ db, config, apiKeys: keys.apiKey, clock }, { id, worker });
  return getBacktest(ctx(VIEWER), { id });
}

test("a rule of my draft is judged on the tape's interval, in the order of time over all gateways", async () => {
  await startLoop();
  await putDraftItem(ctx(), { kind: "rule", id: "few", body: rule, baseVersion: 1 });
  const made = await createBacktest(ctx(), { ruleset: "draft", rule: "few", source: onTape });
  expect(made).toMatchObject({ state: "waiting", rule: "few", ruleset: "draft", version: 1 });
  // What is changed afterwards does not matter.
  await putDraftItem(ctx(), {
    kind: "rule",
    id: "few",
    body: { ...rule, limit: { ...rule.limit, default: { rate: 1, per: "1h", burst: 1 } } },
    baseVersion: 1,
  });
  const { state, result, judged, progress } = await ended(made.id, 30_000);
  expect({ state, progress, mode: judged?.mode }).toEqual({
    state: "done",
    progress: 1,
    mode: "shadow",
  });
  expect(result?.asked).toMatchObject({
    requests: 25,
    rejections: 14,
    clients: 2,
    clientsRejected: 1,
    topClients: [{ client: "key:a", requests: 20, rejections: 14 }, { client: "key:b" }],
    byPlan: [{ plan: "free", requests: 25, rejections: 14 }],
  });
  expect(result?.total).toMatchObject({ requests: 26, rejections: 0 });
  expect(result).toMatchObject({
    sampling: 100,
    refusedThen: 1,
    lines: null,
    order: { outOfOrder: 0, tooLate: 0 },
  });
  expect(result?.notes.join("\n")).toMatch(/1 blocks of the tape were lost/);
  expect(result?.from).toBe(range.from);

  expect(result?.demand).toMatchObject([
    { plan: "free", buckets: 2, windowSeconds: 3_600, peaks: { p50: 5, max: 20 } },
  ]);
  const demand = decodeDemand(gunzipSync(await getBacktestDemand(ctx(VIEWER), { id: made.id })));
  const limits = compileLimit(rule.limit);
  const estimate = estimateLimit(demand, (plan) => limits(plan, true));
  expect(estimate).toMatchObject({ requests: 25, rejections: 14, clientsRejected: 1 });
  await expect(getBacktestDemand(ctx(), { id: "x" })).rejects.toThrow("there is no backtest x");
}, 40_000);

test("rules given with the request take the place of the live ones, and speed divides the time", async () => {
  const fast = { ...rule, mode: "enforce" as const };
  const fields = { rule: "few", rules: [fast], source: onTape };
  const made = await createBacktest(ctx(), { ...fields, name: "as it is" });
  expect((await run(made.id)).result?.total.rejections).toBe(14);
  const slow = await createBacktest(ctx(), { ...fields, speed: 0.001 });
  // A thousand times slower: one an hour, and 6 of burst, refuse nobody.
  expect((await run(slow.id)).result?.total.rejections).toBe(0);
  const { items } = await listBacktests(ctx(VIEWER), { rule: "few", limit: 2 });
  expect(items.map(({ id }) => id)).toEqual([slow.id, made.id]);
  expect(items[1]).toMatchObject({ name: "as it is", replaced: ["few"] });
});

const line = (n: number, ip = "192.0.2.1") =>
  `${ip} - - [${new Date(start + n * 1_000).toISOString()}] "GET /v1/messages?token=hush-${n} HTTP/1.1" 200 5 "-" "-"`;

test("an uploaded log is judged, zipped or not; its broken lines are counted and shown without what may be secret", async () => {
  const text = [
    ...Array.from({ length: 10 }, (_, n) => line(n)),
    `nonsense /path?key=hg_abcdefghijklmnopqrstuvwxyz0123456789 hg_abcdefghijklmnopqrstuvwxyz0123456789`,
    "",
  ].join("\n");
  const byIp = { ...rule, countBy: ["ip"], mode: "shadow" as const };
  for (const bytes of [Buffer.from(text), gzipSync(text)]) {
    const body = new Blob([new Uint8Array(bytes)]).stream();
    const log = await uploadLog(ctx(), { name: "access.log", body });
    expect(log).toMatchObject({ size: bytes.length, complete: true });
    const source = { kind: "log", log: log.id } as const;
    const made = await createBacktest(ctx(), { rule: "few", rules: [byIp], source });
    const { result, state } = await run(made.id);
    expect(state).toBe("done");
    expect(result?.asked).toMatchObject({ requests: 10, rejections: 4 });
    expect(result?.lines).toMatchObject({ read: 11, parsed: 10, problem: null });
    expect(result?.lines?.broken).toMatchObject([{ reason: "no-time", count: 1, line: 11 }]);
    expect(JSON.stringify(result)).not.toContain("mnopqrst");
    expect(result?.notes.join("\n")).toMatch(/names no key that is known here/);
  }
  const parts = await world.control.db.backtestLogPart.findMany();
  for (const { bytes } of parts)
    expect(Buffer.from(bytes).toString("latin1")).not.toContain("messages");
});

test("a log that names keys is judged by their owners' plans", async () => {
  const key = await createKey(ctx(SYSTEM), { plan: "free", name: "logged" });
  const lines = Array.from({ length: 8 }, (_, n) =>
    JSON.stringify({
      time: new Date(start + n * 1_000).toISOString(),
      client_ip: "192.0.2.9",
      method: "GET",
      path: "/v1/messages",
      status: 200,
      api_key: n < 6 ? key.key : n === 6 ? key.prefix : "hg_nobody",
    }),
  );
  const body = new Blob([lines.join("\n")]).stream();
  const log = await uploadLog(ctx(), { body });
  const source = { kind: "log", log: log.id } as const;
  const made = await createBacktest(ctx(), { rule: "few", rules: [rule], source });
  const { result } = await run(made.id);
  expect(result?.asked).toMatchObject({ requests: 7, rejections: 1, clients: 1 });
  expect(result?.asked?.topClients).toMatchObject([{ client: `key:${key.id}`, plan: "free" }]);
  expect(result?.total.byPlan.map(({ plan, requests }) => [plan, requests])).toEqual(
    expect.arrayContaining([
      ["free", 7],
      ["anonymous", 1],
    ]),
  );
  expect(result?.notes.join("\n")).toMatch(/1 requests name a key that nobody has/);
});

test("a broken .gz is judged as far as it goes, and says so", async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => line(n, `192.0.2.${n % 250}`)).join("\n");
  const cut = gzipSync(text).subarray(0, 60_000);
  const log = await uploadLog(ctx(), { body: new Blob([new Uint8Array(cut)]).stream() });
  const source = { kind: "log", log: log.id } as const;
  const { result } = await run((await createBacktest(ctx(), { source })).id);
  expect(result?.total.requests).toBeGreaterThan(1_000);
  expect(result?.total.requests).toBeLessThan(20_000);
  expect(result?.lines?.problem).toMatch(/broken .gz and ends after line/);
});

test("parts are taken once and in their order, by their uploader only, up to a size", async () => {
  const { id } = await beginLog(ctx(), { name: "parts.log" });
  const bytes = new Uint8Array(Buffer.from(`${line(1)}\n`));
  await addLogPart(ctx(), { id, n: 0, bytes });
  await addLogPart(ctx(), { id, n: 0, bytes });
  await expect(addLogPart(ctx(), { id, n: 2, bytes })).rejects.toThrow("the next part");
  await expect(addLogPart(ctx(SYSTEM), { id, n: 1, bytes })).rejects.toThrow("of yours");
  await expect(addLogPart(ctx(), { id, n: 1, bytes: new Uint8Array(1_048_577) })).rejects.toThrow(
    "must have 1..1048576 bytes, got 1048577",
  );
  await world.control.db.backtestLog.update({ where: { id }, data: { size: 67_108_864 } });
  await expect(addLogPart(ctx(), { id, n: 1, bytes })).rejects.toThrow("at most 64 MiB");
  const source = { kind: "log", log: id } as const;
  await expect(createBacktest(ctx(), { source })).rejects.toThrow("not uploaded to its end");
  expect(await endLog(ctx(), { id })).toMatchObject({ complete: true });
  await expect(addLogPart(ctx(), { id, n: 1, bytes })).rejects.toThrow("to its end already");
  expect((await listBacktestLogs(ctx(VIEWER))).items.map((log) => log.id)).toContain(id);
  await deleteBacktestLog(ctx(), { id });
  expect(await world.control.db.backtestLogPart.count({ where: { logId: id } })).toBe(0);
  const empty = await beginLog(ctx(), {});
  await expect(endLog(ctx(), { id: empty.id })).rejects.toThrow("is empty");
});

test("one that waits or runs can be cancelled; one whose process dies twice has failed and says why", async () => {
  const waits = await createBacktest(ctx(), { source: onTape });
  expect(await cancelBacktest(ctx(), { id: waits.id })).toMatchObject({ state: "cancelled" });
  await expect(cancelBacktest(ctx(), { id: waits.id })).rejects.toThrow("is cancelled already");

  const doomed = await createBacktest(ctx(), { source: onTape });
  const dying = join(folder.path, "dies.mjs");
  await writeFile(dying, "process.kill(process.pid, 'SIGKILL');");
  await startLoop({ file: dying });
  expect(await ended(doomed.id)).toMatchObject({
    state: "failed",
    error: expect.stringMatching(
      /started 2 times and gave no result: its process ended with SIGKILL/,
    ),
  });

  await stopAll();

  const file = join(folder.path, "hangs.mjs");
  await writeFile(file, "setInterval(() => {}, 1000);");
  const stop = await startLoop({ file });
  const hangs = await createBacktest(ctx(), { source: onTape });
  await waitFor(async () => (await getBacktest(ctx(), { id: hangs.id })).state === "running");
  await stop();
  // Given back by a worker that stops, and cancelled while another one runs it.
  expect(await getBacktest(ctx(), { id: hangs.id })).toMatchObject({ state: "waiting" });
  await startLoop({ file });
  await waitFor(async () => (await getBacktest(ctx(), { id: hangs.id })).state === "running");
  await cancelBacktest(ctx(), { id: hangs.id });
  await stopAll();
  expect(await getBacktest(ctx(), { id: hangs.id })).toMatchObject({ state: "cancelled" });

  await deleteBacktest(ctx(), { id: doomed.id });
  await expect(getBacktest(ctx(), { id: doomed.id })).rejects.toThrow("there is no backtest");
});

test("who may only look may not ask, cancel, delete or upload, and each is audited", async () => {
  const refused = [
    createBacktest(ctx(VIEWER), { source: onTape }),
    cancelBacktest(ctx(VIEWER), { id: "x" }),
    deleteBacktest(ctx(VIEWER), { id: "x" }),
    deleteBacktestLog(ctx(VIEWER), { id: "x" }),
    uploadLog(ctx(VIEWER), { body: null }),
  ];
  for (const one of refused) await expect(one).rejects.toThrow("Vi (role viewer) may not");
  const wrong = [
    [{ rule: "nobody", source: onTape }, "there is no rule nobody"],
    [{ rule: "few", revision: 9, source: onTape }, "no revision 9"],
    [{ revision: 1, source: onTape }, "revision needs the rule"],
    [{ source: { kind: "log", log: "gone" } }, "there is no log gone"],
    [{ source: onTape, speed: 0 }, "speed must be at least 0.001, got 0"],
  ] as const;
  for (const [request, words] of wrong)
    await expect(createBacktest(ctx(), request)).rejects.toThrow(words);
  const actions = await world.control.db.audit.findMany({
    where: { kind: "backtest" },
    distinct: ["action"],
    select: { action: true },
  });
  expect(actions.map(({ action }) => action).toSorted()).toEqual([
    "backtest.cancel",
    "backtest.create",
    "backtest.delete",
    "backtest.delete-log",
    "backtest.upload",
  ]);
  expect((await getDraftContent(ctx())).content.rules).toHaveLength(1);
});

test("results and logs go when their time is over, unended uploads soon", async () => {
  const { db } = world.control;
  const made = await createBacktest(ctx(), { source: onTape });
  const [log, open] = [await beginLog(ctx(), {}), await beginLog(ctx(), {})];
  await db.backtestLog.update({ where: { id: log.id }, data: { completeAt: new Date() } });
  const worker = await world.openWorker();
  const old = (ms: number) => new Date(Date.now() - ms - 60_000);
  await db.backtestLog.updateMany({ data: { createdAt: old(3_600_000) } });
  await retain(worker);
  expect(await db.backtestLog.count({ where: { id: { in: [log.id, open.id] } } })).toBe(1);
  await db.backtestLog.updateMany({ data: { createdAt: old(KEPT_MS.backtestLogs) } });
  await db.backtest.update({ where: { id: made.id }, data: { createdAt: old(KEPT_MS.backtests) } });
  await retain(worker);
  expect(await db.backtestLog.count()).toBe(0);
  expect(await db.backtest.count({ where: { id: made.id } })).toBe(0);
});
