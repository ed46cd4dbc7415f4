import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../testing/cli-io";
import { type ConsoleApi, openConsoleApi, TOKENS } from "../testing/console-api";
import { temporaryFolder } from "../testing/gateway";

let api: ConsoleApi;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openConsoleApi();
  folder = await temporaryFolder();
  env = { HEADGATE_CONTROL_URL: await api.listen(), HEADGATE_TOKEN: TOKENS.admin };
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});

const keyOf = (i: number) => `sk_live_${String(i).padStart(24, "0")}`;

test("a list of 2,500 lines is taken in pieces, what is wrong is said by line and exit code, again it is nothing to do", async () => {
  const file = join(folder.path, "keys.csv");
  const report = join(folder.path, "report.csv");
  const lines = Array.from(
    { length: 2_500 },
    (_, i) => `${keyOf(i)};customer-${i % 40};${i === 1_730 ? "gold" : "paid"}`,
  );
  await writeFile(file, `key;customer;plan\r\n${lines.join("\r\n")}\r\n`);
  const dry = await runCli(["keys", "import", file, "--dry-run"], { env });
  expect(dry.stdout).toContain("2,499 keys would be made");
  expect((await api.call("GET /keys")).json.total).toBe(0);
  const first = await runCli(["keys", "import", file, "--report", report], { env });
  expect(first.code).toBe(1);
  expect(first.stderr).toContain("line 1732: plan must be one of free, paid, enterprise, got gold");
  expect(first.stdout).toBe("2,499 keys made, 0 changed, 0 as they were, 1 refused\n");
  const written = await readFile(report, "utf8");
  expect(written.split("\r\n")).toHaveLength(2_502);
  expect(written).toContain("1732,refused,,");
  expect(`${first.stdout}${first.stderr}${written}`).not.toContain("sk_live");
  expect((await api.call("GET /keys")).json.total).toBe(2_499);
  await writeFile(file, `key;customer;plan\n${lines.filter((_, i) => i !== 1_730).join("\n")}`);
  const again = await runCli(["keys", "import", file], { env });
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toBe("nothing to do: all 2,499 lines are as they should be\n");
});

test("the console's own export goes back through standard input, and changes nothing", async () => {
  const url = `${env.HEADGATE_CONTROL_URL}/api/v1/keys/export`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${TOKENS.admin}` } });
  expect(response.headers.get("content-disposition")).toMatch(/headgate-keys-.*\.csv/);
  const stdin = Buffer.from(await response.arrayBuffer()).toString();
  const { code, stdout } = await runCli(["keys", "import", "-", "--json"], { env, stdin });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    made: 0,
    changed: 0,
    same: 2_499,
    refused: 0,
    stopped: null,
  });
});

test.each([
  ["only a head", "key,plan\n", 1, "no line but its head"],
  ["no list", "hello\n", 1, "the first line must name the columns"],
])("%s is never success", async (_, stdin, code, message) => {
  const answer = await runCli(["keys", "import", "-"], { env, stdin });
  expect(answer.code).toBe(code);
  expect(answer.stderr).toContain(message);
});

test("a file that is not there, or none, is wrong usage", async () => {
  expect(await runCli(["keys", "import"], { env })).toMatchObject({ code: 2 });
  const absent = await runCli(["keys", "import", join(folder.path, "absent.csv")], { env });
  expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining("ENOENT") });
});
