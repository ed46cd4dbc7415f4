import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../testing/cli-io";

let folder: string;
let rules: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "backtest-"));
  rules = join(folder, "rules.yaml");
  await writeFile(
    rules,
    "rules:\n  - {id: by-ip, name: By IP, countBy: [ip], mode: enforce, limit: {kind: rate, algorithm: token-bucket, default: {rate: 60, per: 1m, burst: 2}}}\n",
  );
});

afterAll(() => rm(folder, { recursive: true }));

const line = (second: number) =>
  `198.51.100.7 - - [17/May/2015:10:05:0${second} +0000] "GET /a HTTP/1.1" 200 17`;
const log = [line(4), line(0), line(0), line(0), "nonsense"].join("\n");

test("says what would be refused, in the order of the lines' times, and shows broken lines", async () => {
  const { code, stdout } = await runCli(["backtest", "-", "--rules", rules], { stdin: log });
  expect(code).toBe(0);
  expect(stdout).toContain("Would refuse 25.0 %: 1 of 4 requests; 1 of 1 client.");
  expect(stdout).toContain("5 lines read as combined: 4 parsed, 1 broken.");
  expect(stdout).toContain("line 5: nonsense");
});

test("a log that runs faster is refused more", async () => {
  const argv = ["backtest", "-", "--rules", rules, "--speed", "100", "--json"];
  const { stdout } = await runCli(argv, { stdin: log });
  expect(JSON.parse(stdout)).toMatchObject({ requests: 4, rejections: 2, parsed: 4 });
});

const jsonLine = (second: number, more: object = {}) =>
  JSON.stringify({
    time: `2015-05-17T10:05:0${second}Z`,
    remote_addr: "198.51.100.7",
    request: "GET /a HTTP/1.1",
    ...more,
  });

async function json(argv: string[], stdin = "") {
  const { code, stdout, stderr } = await runCli(["backtest", ...argv, "--rules", rules, "--json"], {
    stdin,
  });
  return { code, stderr, read: stdout === "" ? null : JSON.parse(stdout) };
}

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test.each([
  ["combined", `\uFEFF${[0, 0, 0, 4].map(line).join("\r\n")}\r\n`, "combined"],
  ["JSON", [0, 0, 0, 4].map((second) => jsonLine(second)).join("\n"), "json"],
])(
  "a log in %s is told by its lines, zipped or not, whatever its name",
  async (_, text, format) => {
    for (const content of [text, gzipSync(text)]) {
      const path = await file("some-log", content);
      const { read } = await json([path]);
      expect(read).toMatchObject({ requests: 4, rejections: 1, parsed: 4, broken: [] });
      expect(read.logs).toEqual([{ file: path, format }]);
    }
  },
);

test("several logs are judged as one, in the order of their times", async () => {
  const newer = await file("newer", [line(4), line(4), line(5)].join("\n"));
  const older = await file("older.gz", gzipSync([line(0), line(4), "nonsense"].join("\n")));
  const { read } = await json([newer, older, "-"], `${line(1)}\n${jsonLine(2)}`);
  expect(read).toMatchObject({ requests: 6, parsed: 6, rejections: 1, outOfOrder: 0 });
  expect(read.broken.map(({ samples }: { samples: unknown }) => samples)).toEqual([
    [
      { file: "-", line: 2, sample: jsonLine(2) },
      { file: older, line: 3, sample: "nonsense" },
    ],
  ]);
});

test("those that a list names are judged on their plan, by key where the log has one", async () => {
  const byPlan = await file(
    "by-plan.yaml",
    `plans: {free: {name: Free}, paid: {name: Paid}}
rules:
  - {id: by-key, name: By key, countBy: [apiKey], mode: enforce, limit: {kind: rate, algorithm: token-bucket, perPlan: {free: {rate: 1, per: 1m, burst: 1}}, default: unlimited}}
`,
  );
  const plans = await file(
    "plans.csv",
    "\uFEFFclient;plan;customer\r\n198.51.100.0/24;paid\r\n198.51.100.7;free;acme\r\nhg_ab;free\r\n",
  );
  const lines = [
    ...[0, 1, 2].map((second) => jsonLine(second)),
    ...[3, 3].map((second) => jsonLine(second, { remote_addr: "198.51.100.8" })),
    ...[4, 4].map((second) => jsonLine(second, { api_key: "hg_abcdef" })),
    jsonLine(5, { remote_addr: "192.0.2.1" }),
  ].join("\n");
  const { stdout } = await runCli(
    ["backtest", "-", "--rules", byPlan, "--plans", plans, "--json"],
    { stdin: lines },
  );
  expect(stdout).not.toContain("hg_abcdef");
  const { byPlan: rows, topClients, rejections } = JSON.parse(stdout);
  expect(rejections).toBe(3);
  expect(rows).toMatchObject([
    { plan: "free", requests: 5, rejections: 3, clients: 2 },
    { plan: "paid", requests: 2, rejections: 0 },
    { plan: "anonymous", requests: 1, rejections: 0 },
  ]);
  expect(topClients).toMatchObject([
    { client: "key:198.51.100.7", rejections: 2 },
    { client: "key:hg_ab", rejections: 1 },
    { client: "key:198.51.100.8" },
    { client: "ip:192.0.2.1" },
  ]);
});

test("what is odd in lines is read, or counted with a sample: parsed + broken = lines", async () => {
  const odd = (from: string, to: string) => line(1).replace(from, to);
  const lines = [
    odd("- -", '- ""'),
    odd("- -", '- "john doe"'),
    odd("200", "-"),
    odd("/a", `//\${%23a:b,'c'}.action`),
    odd("198.51.100.7", "2001:db8::7"),
    `www.example.test:443 ${line(1)}`,
    odd("198.51.100.7", "198.51.100.8, 10.0.0.1"),
    odd("198.51.100.7", "-"),
    odd("10:05:01 +0000", "12:05:01 +0200"),
    odd("10:05:01 +0000", "06:35:01 -0330"),
    odd("17/May", "16/May"),
    "",
    odd("/a", '/a\\x22b\\"c'),
  ];
  const { read } = await json(["-"], lines.join("\n"));
  expect(read).toMatchObject({
    lines: 13,
    parsed: 11,
    requests: 11,
    addressLists: 1,
    outOfOrder: 1,
  });
  expect(read.broken).toMatchObject([
    { reason: "no-client", count: 1, samples: [{ line: 8 }] },
    { reason: "blank", count: 1, samples: [{ line: 12 }] },
  ]);
  expect(read.clients).toBe(3);
  expect(read.worstMinutes.fromMs).toBe(Date.UTC(2015, 4, 17, 10, 5));
});

test("an empty log is told, and so is one that is cut off within its zip", async () => {
  const empty = await file("empty", "");
  const { code, stdout } = await runCli(["backtest", empty, "--rules", rules]);
  expect(code).toBe(1);
  expect(stdout).toContain("There is no request to judge.");
  const zipped = gzipSync(Array.from({ length: 5_000 }, (_, i) => line(i % 10)).join("\n"));
  const cut = await file("cut.gz", zipped.subarray(0, zipped.length - 20));
  const { code: cutCode, read } = await json([cut]);
  expect(cutCode).toBe(1);
  expect(read.parsed).toBeGreaterThan(0);
  expect(read.readProblems).toEqual([{ file: cut, why: expect.stringMatching(/unexpected end/) }]);
});

test("fields of JSON lines are named by --fields, a format by --format", async () => {
  const mapped = JSON.stringify({
    at: 1431857100,
    who: { ip: "192.0.2.9" },
    method: "GET",
    path: "/",
  });
  const { read } = await json(["-", "--fields", "time=at,client=who.ip"], mapped);
  expect(read).toMatchObject({ requests: 1, topClients: [{ client: "ip:192.0.2.9" }] });
  const { read: forced } = await json(["-", "--format", "combined"], mapped);
  expect(forced).toMatchObject({ requests: 0, broken: [{ reason: "no-time" }] });
});

test("what clients ask is told in percentiles, with a limit for that", async () => {
  const asking = Array.from({ length: 300 }, (_, i) =>
    line(i % 10).replace("198.51.100.7", `198.51.100.${i % 100}`),
  ).join("\n");
  const { stdout } = await runCli(["backtest", "-", "--rules", rules], { stdin: asking });
  expect(stdout).toMatch(/by-ip +anonymous +60 per 1m, burst 2 +3 +3 +3 +3 +3 +100 +4 per 1m +0/);
  const { read } = await json(["-"], asking);
  expect(read.rules[0].demand).toMatchObject([
    {
      plan: "anonymous",
      buckets: 100,
      peaks: { p50: 3, max: 3 },
      needed: { max: 3 },
      estimate: { rejections: 100 },
    },
  ]);
  const { stdout: csv } = await runCli(["backtest", "-", "--rules", rules, "--csv"], {
    stdin: asking,
  });
  const [head, row] = csv.split("\r\n");
  expect(head?.split(",")).toHaveLength(20);
  expect(row).toBe(
    'by-ip,live,enforce,anonymous,300,100,100,100,"60 per 1m, burst 2",60,3,3,3,3,3,3,3,4 per 1m,0,0',
  );
});

test("rules that look at headers are named, since logs are not read for them", async () => {
  const byTenant = await file(
    "by-tenant.yaml",
    "rules:\n  - {id: tenant, name: T, countBy: ['header:x-tenant'], mode: enforce, limit: {kind: rate, algorithm: token-bucket, default: {rate: 1, per: 1m, burst: 1}}}\n",
  );
  const { stdout } = await runCli(["backtest", "-", "--rules", byTenant], { stdin: line(1) });
  expect(stdout).toMatch(/By a header, .*: tenant\./);
});

test("a list of plans is refused whole, with its lines", async () => {
  const plans = await file("wrong.csv", "client,plan\n198.51.100.7,gold\nab,free\n");
  const { code, stderr } = await runCli(["backtest", "-", "--rules", rules, "--plans", plans]);
  expect(code).toBe(1);
  expect(stderr).toContain("line 2: plan must be one of");
  expect(stderr).toContain('got "gold"');
  expect(stderr).toContain("line 3: a client must be");
});

test.each([
  [["backtest"], 2, "LOG is missing"],
  [["backtest", "a", "a", "--rules", "r"], 2, "takes each LOG once"],
  [["backtest", "a", "--rules", "r", "--format", "iis"], 2, "--format must be one of combined"],
  [["backtest", "a", "--rules", "r", "--fields", "when=at"], 2, "--fields must be such as"],
  [["backtest", "-"], 2, "--rules is missing"],
  [["backtest", "-", "--rules", "no-such-file"], 1, "no-such-file cannot be read"],
])("%j exits with %i and says %s", async (argv, exit, words) => {
  const { code, stderr } = await runCli(argv);
  expect(code).toBe(exit);
  expect(stderr).toContain(words);
});
