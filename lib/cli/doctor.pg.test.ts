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

const first = (text: string) => text.split("\n").map((line) => line.slice(0, 16).trim());

test("doctor says of each thing whether it is well, and of what is not what to do", async () => {
  const { code, stdout } = await runCli(["doctor"], { env });
  expect(code).toBe(1);
  expect(first(stdout)).toEqual(
    expect.arrayContaining([
      "ok    config",
      "ok    console",
      "warn  token",
      "ok    postgres",
      "ok    migrations",
      "ok    redis",
      "fail  gateways",
    ]),
  );
  expect(stdout).toContain("→ Start one with HEADGATE_CONTROL_URL");
  const json = JSON.parse((await runCli(["doctor", "--json"], { env })).stdout);
  expect(json.lines).toContainEqual({
    check: "gateways",
    level: "fail",
    says: "none is live",
    todo: expect.any(String),
  });
});

test.each([
  [
    "a wrong variable",
    { HEADGATE_CONTROL_URL: "ops" },
    "fail  config",
    "HEADGATE_CONTROL_URL must be",
  ],
  [
    "no console",
    { HEADGATE_CONTROL_URL: "http://127.0.0.1:1" },
    "fail  console",
    "no console answers",
  ],
  ["no token", { HEADGATE_TOKEN: "" }, "fail  token", "none is given"],
  ["a wrong token", { HEADGATE_TOKEN: "hgt_made-up" }, "fail  token", "not known here"],
  ["a token that may not read", { HEADGATE_TOKEN: TOKENS.gateway }, "fail  token", "scope read"],
])("%s is a line with what to do, and exit code 1", async (_, more, line, says) => {
  const { code, stdout } = await runCli(["doctor"], { env: { ...env, ...more } });
  expect(code).toBe(1);
  expect(stdout).toContain(line);
  expect(stdout).toContain(says);
});

test("where the console is away it looks at the servers from here", async () => {
  const { DATABASE_URL = "", REDIS_URL = "", HEADGATE_ENVIRONMENT = "" } = process.env;
  const away = { HEADGATE_CONTROL_URL: "http://127.0.0.1:1", DATABASE_URL, REDIS_URL };
  const { code, stdout } = await runCli(["doctor"], { env: { ...away, HEADGATE_ENVIRONMENT } });
  expect(code).toBe(1);
  expect(first(stdout)).toEqual(
    expect.arrayContaining(["fail  console", "ok    postgres", "ok    migrations", "ok    redis"]),
  );
});
