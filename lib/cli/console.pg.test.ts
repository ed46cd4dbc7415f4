import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../testing/cli-io";
import { type ConsoleApi, openConsoleApi, TOKENS } from "../testing/console-api";

let api: ConsoleApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openConsoleApi();
  env = { HEADGATE_CONTROL_URL: await api.listen(), HEADGATE_TOKEN: TOKENS.admin };
});
afterAll(() => api.close());

test("keys create prints the key alone on standard output, and who it is for beside it", async () => {
  const argv = ["keys", "create", "--plan", "free", "--customer", "acme", "--name", "CI"];
  const { code, stdout, stderr } = await runCli(argv, { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^hg_\S+\n$/);
  expect(stderr).toContain("customer acme, plan free");
  const { json } = await api.call("GET /keys?customer=acme");
  expect(json).toMatchObject({ items: [{ name: "CI", plan: "free" }] });
});

test("keys create --json prints the whole answer", async () => {
  const { stdout } = await runCli(["keys", "create", "--plan", "paid", "--json"], { env });
  expect(JSON.parse(stdout)).toMatchObject({ plan: "paid", key: expect.stringMatching(/^hg_/) });
});

test("status tells console, version and gateways, and fails while nothing has applied it", async () => {
  const text = await runCli(["status"], { env });
  expect(text.code).toBe(1);
  expect(text.stdout).toContain("Postgres ok, Redis ok");
  expect(text.stdout).toContain('version   1 "first start"');
  expect(text.stdout).toContain("applied on 0 of 0 live");
  const json = await runCli(["status", "--json"], { env });
  expect(JSON.parse(json.stdout)).toMatchObject({ version: { version: 1 }, gateways: [] });
});

const wrong: [what: string, argv: string[], more: Record<string, string>, message: string][] = [
  ["an unknown plan", ["keys", "create", "--plan", "gold"], {}, 'got "gold"'],
  ["no token", ["status"], { HEADGATE_TOKEN: "" }, "set HEADGATE_TOKEN"],
  ["a wrong token", ["status"], { HEADGATE_TOKEN: "hgt_made-up" }, "not known here"],
  ["a gateway's token", ["status"], { HEADGATE_TOKEN: TOKENS.gateway }, "scope read"],
  [
    "no console",
    ["status"],
    { HEADGATE_CONTROL_URL: "http://127.0.0.1:1" },
    "no console answers at http://127.0.0.1:1",
  ],
  ["a wrong variable", ["status"], { HEADGATE_CONTROL_URL: "ops" }, "HEADGATE_CONTROL_URL must be"],
];

test.each(wrong)("%s is a sentence and exit code 1", async (_, argv, more, message) => {
  const { code, stdout, stderr } = await runCli(argv, { env: { ...env, ...more } });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(message);
});
