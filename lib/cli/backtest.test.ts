import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  expect(stdout).toContain("5 lines: 4 parsed, 1 broken.");
  expect(stdout).toContain("first in line 5: nonsense");
});

test("a log that runs faster is refused more", async () => {
  const argv = ["backtest", "-", "--rules", rules, "--speed", "100", "--json"];
  const { stdout } = await runCli(argv, { stdin: log });
  expect(JSON.parse(stdout)).toMatchObject({ requests: 4, rejections: 2, parsed: 4 });
});

test.each([
  [["backtest"], 2, "LOG is missing"],
  [["backtest", "-"], 2, "--rules is missing"],
  [["backtest", "-", "--rules", "no-such-file"], 1, "no-such-file cannot be read"],
])("%j exits with %i and says %s", async (argv, exit, words) => {
  const { code, stderr } = await runCli(argv);
  expect(code).toBe(exit);
  expect(stderr).toContain(words);
});
