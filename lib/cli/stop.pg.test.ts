import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../testing/cli-io";
import { type ConsoleApi, openConsoleApi, TOKENS } from "../testing/console-api";

let api: ConsoleApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openConsoleApi({ demo: true });
  env = { HEADGATE_CONTROL_URL: await api.listen(), HEADGATE_TOKEN: TOKENS.admin };
});
afterAll(() => api.close());

const cli = (...argv: string[]) => runCli(argv, { env });
const modeOf = async (id: string) => (await api.call(`GET /rules/${id}`)).json.mode;

test("stop sets enforced rules to shadow until a time, resume enforces them again", async () => {
  const { code, stdout } = await cli("stop", "--all", "--reason", "storm", "--minutes", "5");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^version 2: .*per-key-rate.* in shadow until \S+ \(stop [a-z0-9]{12}\)/);
  expect(await modeOf("per-key-rate")).toBe("shadow");
  const resumed = await cli("resume");
  expect(resumed.stdout).toMatch(/^stop [a-z0-9]{12}: version 3: .*enforced again/);
  expect(await modeOf("per-key-rate")).toBe("enforce");
  expect((await cli("resume")).stderr).toContain("nothing is stopped");
});

test("what is not stopped is said: a rule that is not enforced, one that is not there, no rule at all", async () => {
  expect((await cli("stop", "new-links-free", "--reason", "x")).stderr).toContain(
    "not enforced now",
  );
  expect((await cli("stop", "nowhere", "--reason", "x")).stderr).toContain(
    "there is no rule nowhere",
  );
  for (const argv of [
    ["stop", "--reason", "x"],
    ["stop", "a", "--all", "--reason", "x"],
    ["stop", "a"],
  ])
    expect((await cli(...argv)).code).toBe(2);
  expect((await cli("resume", "made-up")).code).toBe(1);
});
