import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../testing/cli-io";
import { waitFor } from "../testing/wait-for";

type Seen = { method: string; path: string; client: string; agent: string; atMs: number };
type Fake = { url: string; adminUrl: string; seen: Seen[] };

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A gateway that lets `limit` requests of each client through, and would have let through half of them. */
async function fakeGateway(limit: number, others = 0): Promise<Fake> {
  const seen: Seen[] = [];
  const perClient = new Map<string, number>();
  const counted = { requests: 0, enforce: 0, shadow: 0 };
  const gateway = createServer((request, response) => {
    const client = String(request.headers["x-forwarded-for"]);
    const nth = (perClient.get(client) ?? 0) + 1;
    perClient.set(client, nth);
    seen.push({ ...seenOf(request), client, atMs: performance.now() });
    counted.requests += 1;
    if (nth > limit / 2) counted.shadow += 1;
    if (request.url === "/limited-by-the-api") {
      response.writeHead(429, { "content-type": "application/json" }).end("{}");
    } else if (nth > limit) {
      counted.enforce += 1;
      response.writeHead(429, { "content-type": "application/problem+json" });
      response.end(JSON.stringify({ status: 429, rule: "per-ip" }));
    } else response.end("ok");
  });
  const admin = createServer((request, response) => {
    if (request.url !== "/metrics") return void response.writeHead(404).end();
    const total = counted.requests + (counted.requests > 0 ? others : 0);
    response.end(
      [
        "# TYPE headgate_requests_total counter",
        `headgate_requests_total{verdict="allowed"} ${1000 + total}`,
        `headgate_rejections_total{rule="per-ip",mode="enforce"} ${5 + counted.enforce}`,
        `headgate_rejections_total{rule="tighter",mode="shadow"} ${counted.shadow} 1767225600000`,
        "nodejs_heap_bytes NaN",
      ].join("\n"),
    );
  });
  return { url: await listen(gateway), adminUrl: await listen(admin), seen };
}

function seenOf(request: IncomingMessage): Omit<Seen, "client" | "atMs"> {
  const { method = "", url = "" } = request;
  return { method, path: url, agent: String(request.headers["user-agent"]) };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(
    () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function logFile(content: string | Buffer, name = "access.log"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "headgate-test-replay-"));
  open.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

function line(client: string, second: number, request = "GET / HTTP/1.1"): string {
  const time = `17/May/2015:10:${String(Math.floor(second / 60)).padStart(2, "0")}:${String(second % 60).padStart(2, "0")}`;
  return `${client} - - [${time} +0000] "${request}" 200 1 "-" "Agent \\"1\\""`;
}

function arguments_(file: string, fakes: Fake[]): string[] {
  return [
    ...["replay", file, "--gateway", fakes.map(({ url }) => url).join(",")],
    ...["--admin", fakes.map(({ adminUrl }) => adminUrl).join(","), "--json"],
  ];
}

test("a file that breaks off is replayed up to there, and told", async () => {
  const fake = await fakeGateway(1000);
  const lines = Array.from({ length: 800 }, (_, i) => line(`198.51.100.${i % 250}`, i));
  const whole = gzipSync(lines.join("\n"));
  const file = await logFile(whole.subarray(0, whole.length / 2), "access.log.gz");
  const { code, stdout } = await runCli(arguments_(file, [fake]));
  expect(code).toBe(1);
  const result = JSON.parse(stdout);
  expect(result.readProblem).toBe("unexpected end of file");
  expect(result.sent).toBeGreaterThan(0);
  expect(result.sent).toBe(result.parsed);
  const text = await runCli(arguments_(file, [fake]).filter((word) => word !== "--json"));
  expect(text.stdout).toContain("could not be read to its end: unexpected end of file");
});

test("every request goes out as its client, and all lines are accounted for", async () => {
  const fakes = [await fakeGateway(2), await fakeGateway(2)];
  const lines = [
    line("198.51.100.7", 3, "POST /b?x=1 HTTP/1.1"),
    line("198.51.100.7", 1, "GET /a HTTP/1.1"),
    "nonsense \u001b[31m",
    line("2001:db8::1", 2, "HEAD /c HTTP/1.1"),
    line("crawler.example.test", 2),
    line("198.51.100.7, 10.0.0.1", 4, "GET /limited-by-the-api HTTP/1.1"),
    "more nonsense",
  ];
  const { code, stdout } = await runCli(arguments_(await logFile(lines.join("\r\n")), fakes));
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    lines: 7,
    parsed: 4,
    broken: [
      { reason: "no-time", count: 2, line: 3 },
      { reason: "client-not-address", count: 1, line: 5 },
    ],
    outOfOrder: 2,
    tooLate: 0,
    addressLists: 1,
    clients: 2,
    sent: 4,
    allowed: 4,
    rejected: 0,
    failed: 0,
    otherRequests: 0,
  });
  const seen = fakes.flatMap((fake) => fake.seen).sort((a, b) => a.atMs - b.atMs);
  expect(seen.map(({ method, path, client }) => [method, path, client])).toEqual(
    expect.arrayContaining([
      ["GET", "/a", "198.51.100.7"],
      ["HEAD", "/c", "2001:db8::1"],
      ["POST", "/b?x=1", "198.51.100.7"],
      ["GET", "/limited-by-the-api", "198.51.100.7"],
    ]),
  );
  expect(seen.filter(({ client }) => client === "198.51.100.7").map(({ path }) => path)).toEqual([
    "/a",
    "/b?x=1",
    "/limited-by-the-api",
  ]);
  expect(seen[0]?.agent).toBe('Agent "1"');
  expect(fakes.map((fake) => fake.seen.length)).toEqual([2, 2]);
});

test("rejected and would-be are told per rule, as the gateways counted them meanwhile", async () => {
  const fake = await fakeGateway(10);
  const lines = Array.from({ length: 30 }, (_, i) =>
    line(`198.51.100.${i % 2}`, i, i % 3 === 0 ? "HEAD / HTTP/1.1" : "GET / HTTP/1.1"),
  );
  const json = await runCli(
    arguments_(await logFile(gzipSync(lines.join("\n")), "a.log.gz"), [fake]),
  );
  expect(JSON.parse(json.stdout)).toMatchObject({
    sent: 30,
    allowed: 20,
    rejected: 10,
    wouldBe: 20,
    rules: [
      { rule: "tighter", mode: "shadow", hits: 20 },
      { rule: "per-ip", mode: "enforce", hits: 10 },
    ],
  });
});

test("requests of others in the meantime are told", async () => {
  const fake = await fakeGateway(10, 7);
  const [, ...rest] = arguments_("-", [fake]);
  const text = await runCli(["replay", ...rest.filter((word) => word !== "--json")], {
    stdin: `${line("198.51.100.7", 1)}\n`,
  });
  expect(text.stdout).toContain("counted 7 requests of others");
  expect(text.stdout).toContain("1 line: 1 parsed, 0 broken.");
});

test("without the admin port the would-be rejections are unknown, not none", async () => {
  const fake = await fakeGateway(10);
  const closed = { ...fake, adminUrl: "http://127.0.0.1:1" };
  const { code, stdout } = await runCli(
    arguments_(await logFile(line("198.51.100.7", 1)), [closed]),
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ sent: 1, wouldBe: null, rules: null });
});

test("a paced replay keeps the log's distances and never waits for a jump back or a long silence", async () => {
  const fake = await fakeGateway(10);
  const lines = [
    line("198.51.100.7", 0),
    line("198.51.100.7", 20),
    line("198.51.100.7", 3000),
    line("198.51.100.8", 10),
  ];
  const startedMs = performance.now();
  const { stdout } = await runCli([
    ...arguments_(await logFile(lines.join("\n")), [fake]),
    ...["--speed", "100", "--max-gap", "20s"],
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ sent: 4, silencesShortened: 1, outOfOrder: 1 });
  const [first, second, third, last] = fake.seen.map(({ atMs }) => atMs);
  expect(Number(second) - Number(first)).toBeGreaterThan(80);
  expect(Number(third) - Number(second)).toBeGreaterThan(80);
  expect(Number(last) - Number(third)).toBeGreaterThan(180);
  // Kept, the long silence would take 30 s.
  expect(performance.now() - startedMs).toBeLessThan(15_000);
}, 20_000);

test("a stop ends the replay early and says so", async () => {
  const fake = await fakeGateway(10);
  const stop = new AbortController();
  const running = runCli(
    [
      ...arguments_(
        await logFile([line("198.51.100.7", 0), line("198.51.100.7", 3000)].join("\n")),
        [fake],
      ),
      "--speed",
      "0.1",
    ],
    { signal: stop.signal },
  );
  await waitFor(() => fake.seen.length > 0);
  stop.abort();
  const { code, stdout } = await running;
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ sent: 1, interrupted: true });
});

const wrong: [what: string, argv: string[], code: number, message: string][] = [
  ["no file", ["replay"], 2, "FILE is missing"],
  ["no gateway", ["replay", "a.log"], 2, "--gateway is missing"],
  [
    "an address with a path",
    ["replay", "a.log", "--gateway", "http://a.test/x"],
    2,
    'without path and password, got "http://a.test/x"',
  ],
  [
    "a speed of 0",
    ["replay", "a.log", "--gateway", "http://a.test", "--speed", "0"],
    2,
    '--speed must be a number 0.001..1000000, got "0"',
  ],
  ["an unknown option", ["replay", "a.log", "--fast"], 2, "--fast"],
  [
    "a file that is not there",
    ["replay", "/nowhere/a.log", "--gateway", "http://127.0.0.1:1"],
    1,
    "there is no such file",
  ],
  [
    "a gateway that is not there",
    ["replay", "-", "--gateway", "http://127.0.0.1:1"],
    1,
    "no gateway answers at http://127.0.0.1:1",
  ],
  ["an unknown command", ["replya"], 2, 'there is no command "replya"'],
];

test.each(wrong)("%s is one sentence", async (_, argv, code, message) => {
  const result = await runCli(argv);
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toContain(message);
});

test.each([["replay"], ["status"], ["keys", "create"]])(
  "%s %s --help tells its options",
  async (...words) => {
    const { code, stdout } = await runCli([...words, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: headgate ${words.join(" ")}`);
  },
);
