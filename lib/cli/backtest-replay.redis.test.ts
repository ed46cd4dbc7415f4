import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../testing/cli-io";
import {
  directoryOf,
  listenHttp,
  publishDirectory,
  publishRules,
  randomEnvironment,
  temporaryFolder,
} from "../testing/gateway";
import { seeded } from "../testing/random";
import { startRedis } from "../testing/redis";
import { bodyOf, tokenBucketRule } from "../testing/rules";
import { waitFor } from "../testing/wait-for";
import { dispatch } from "./dispatch";
import { emptyTally } from "./log-tally";
import { readLog } from "./read-log";
import { createSender } from "./send-requests";

const SPEED = 3;
const SPAN_SECONDS = 24;
const CLIENTS = 120;
const START_MS = Date.UTC(2026, 2, 1, 10);
const WARM_UP = 100;

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const RULES = [
  { id: "by-ip", limit: { default: { rate: 60, per: "1m", burst: 10 } } },
  { id: "links", limit: { default: { rate: 30, per: "1m", burst: 8 } }, routes: ["/v1/links/**"] },
].map(({ id, limit, routes }) =>
  tokenBucketRule({ id, countBy: ["ip"], limit, match: routes === undefined ? {} : { routes } }),
);

/** Most clients keep within the limits, some go far beyond; all in one another's midst. */
function logLines(): string[] {
  const random = seeded(11);
  const lines: { atMs: number; text: string }[] = [];
  for (let client = 0; client < CLIENTS; client += 1) {
    const isHeavy = client % 5 === 0;
    const count = isHeavy ? 24 + Math.floor(10 * random()) : 2 + Math.floor(5 * random());
    for (let i = 0; i < count; i += 1) {
      const atMs = START_MS + Math.floor(SPAN_SECONDS * 1000 * random());
      const path = random() < 0.5 ? `/v1/links/${i}?a=b` : "/v1/messages";
      lines.push({ atMs, text: lineOf({ atMs, client: `198.18.1.${client}`, path }) });
    }
  }
  return lines.sort((a, b) => a.atMs - b.atMs).map(({ text }) => text);
}

function lineOf({ atMs, client, path }: { atMs: number; client: string; path: string }): string {
  return `${client} - - [${new Date(atMs).toISOString()}] "GET ${path} HTTP/1.1" 200 1 "-" "Agent/1"`;
}

/** A gateway in its own process before a real upstream, which counts what reaches it. */
async function startWorld() {
  const environment = randomEnvironment();
  const server = await startRedis();
  closing.push(() => server.stop());
  const redis = new Redis(server.url);
  closing.push(() => redis.disconnect());
  const admitted = new Map<string, number>();
  const upstream = await listenHttp((request, response) => {
    const [client = ""] = String(request.headers["x-forwarded-for"]).split(",");
    admitted.set(client, (admitted.get(client) ?? 0) + 1);
    response.end("ok");
  });
  const folder = await temporaryFolder();
  closing.push(upstream.close, folder.remove);
  await publishRules(redis, { environment, version: 1, body: bodyOf(RULES) });
  await publishDirectory(redis, directoryOf(environment, {}));
  const given = { environment, redisUrl: server.url, upstream: upstream.url, dataDir: folder.path };
  const child = fork(new URL("../testing/gateway-process.ts", import.meta.url), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, TEST_GATEWAY: JSON.stringify(given) },
  });
  closing.push(() => child.kill("SIGKILL"));
  const [{ url, adminUrl }] = (await once(child, "message")) as [{ url: string; adminUrl: string }];
  await waitFor(async () => (await fetch(`${adminUrl}/ready`)).status === 200);
  // A cold process is late with its first requests only, which would be less time between them and the last ones.
  for (let i = 0; i < WARM_UP; i += 1)
    await (
      await fetch(`${url}/v1/links/a`, { headers: { "x-forwarded-for": `192.0.2.${i}` } })
    ).text();
  return { url, folder: folder.path, admitted };
}

/** Sends a log at SPEED, and notes when each request really went: a busy machine is late. */
async function replay(url: string, lines: readonly string[]) {
  const tally = emptyTally();
  const batches = (async function* () {
    yield [...lines];
  })();
  const sender = createSender([new URL(url)], 64);
  const outcomes = { allowed: 0, rejected: 0, failed: 0 };
  const asSent: string[] = [];
  const startMs = performance.now();
  await dispatch({
    entries: readLog(batches, { file: "-", tally }),
    speed: SPEED,
    concurrency: 64,
    maxGapMs: null,
    signal: new AbortController().signal,
    send: async (entry) => {
      const sentMs = performance.now();
      const { outcome } = await sender.send(entry);
      outcomes[outcome] += 1;
      const atMs = START_MS + (sentMs + performance.now()) / 2 - startMs;
      asSent.push(lineOf({ atMs, client: entry.client, path: entry.target }));
    },
  });
  sender.close();
  return { ...outcomes, asSent, seconds: (performance.now() - startMs) / 1000 };
}

async function backtest(log: string, rules: string, speed: number) {
  const argv = [
    "backtest",
    log,
    "--rules",
    rules,
    "--speed",
    `${speed}`,
    "--top",
    "1000",
    "--json",
  ];
  const { code, stdout, stderr } = await runCli(argv);
  if (code !== 0) throw new Error(`backtest ended with ${code}: ${stderr}${stdout}`);
  const { requests, rejections, topClients } = JSON.parse(stdout);
  const named = new Set<string>();
  for (const { client, rejections } of topClients) if (rejections > 0) named.add(client);
  return { rejected: rejections, allowed: requests - rejections, named };
}

test("a backtest says what the same log is refused when it is sent through an enforcing gateway", async () => {
  const { url, folder, admitted } = await startWorld();
  const lines = logLines();
  const sent = await replay(url, lines);
  const [log, asSent, rules] = [join(folder, "log"), join(folder, "sent"), join(folder, "rules")];
  await writeFile(log, lines.join("\n"));
  await writeFile(asSent, sent.asSent.join("\n"));
  await writeFile(rules, JSON.stringify({ rules: RULES }));
  expect(sent.failed).toBe(0);
  expect(sent.rejected / lines.length).toBeGreaterThan(0.05);
  expect(sent.rejected / lines.length).toBeLessThan(0.3);
  const refused: string[] = [];
  for (const [ip, asked] of countsOf(lines))
    if (asked > (admitted.get(ip) ?? 0)) refused.push(`ip:${ip}`);
  expect(refused.length).toBeGreaterThan(20);
  const said = [await backtest(asSent, rules, 1)];
  // Only a machine that kept the pace has sent the log as it is.
  if (sent.seconds < (1.01 * SPAN_SECONDS) / SPEED) said.push(await backtest(log, rules, SPEED));
  for (const { rejected, allowed, named } of said) {
    expect(Math.abs(rejected - sent.rejected) / sent.rejected).toBeLessThanOrEqual(0.02);
    expect(Math.abs(allowed - sent.allowed) / sent.allowed).toBeLessThanOrEqual(0.02);
    const found = refused.filter((client) => named.has(client));
    expect(found.length / refused.length).toBeGreaterThanOrEqual(0.95);
    expect(named.size).toBeLessThanOrEqual(1.05 * refused.length);
  }
}, 40_000);

function countsOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const [ip = ""] = line.split(" ");
    counts.set(ip, (counts.get(ip) ?? 0) + 1);
  }
  return counts;
}
