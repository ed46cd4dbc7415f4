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

const cli = (...argv: string[]) => runCli(["guardrail", ...argv], { env });

test("what was enforced is shown with what watches it, watched by other bounds, and left unwatched", async () => {
  expect((await cli("show", "new-links-free")).stderr).toContain("was not made enforced");
  await api.call("POST /rules/new-links-free/mode", {
    body: {
      mode: "enforce",
      reason: "seen in shadow",
      guardrail: { maxRejectedShare: 0.25 },
      acknowledgeGaps: true,
    },
  });
  const shown = await cli("show", "new-links-free");
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/^new-links-free: shadow → enforce, by .* with version 2 at /);
  expect(shown.stdout).toContain("predicted  nothing was counted in shadow");
  expect(shown.stdout).toContain('"maxRejectedShare":0.25');
  const set = await cli("set", "new-links-free", "--reason", "more", "--for", "60", "--hold");
  expect(set.stdout).toContain(
    '{"maxRejectedShare":0.25,"protectedPlans":true,"timesPredicted":3,"forSeconds":60,"minRequests":100,"watchSeconds":3600,"action":"hold"}',
  );
  const json = JSON.parse((await cli("show", "new-links-free", "--json")).stdout);
  expect(json).toMatchObject({ state: "watching", guardrail: { action: "hold" } });
  const ended = await cli("end", "new-links-free", "--reason", "seen enough");
  expect(ended.stdout).toMatch(/state {6}ended: .* ended the watch: seen enough/);
  expect((await cli("end", "new-links-free", "--reason", "again")).stderr).toContain(
    "is not watched now",
  );
});

test("a wrong line says what is allowed", async () => {
  for (const argv of [["show"], ["set", "a"], ["end", "a"], ["set", "a", "b", "--reason", "x"]])
    expect((await cli(...argv)).code).toBe(2);
  const { code, stderr } = await cli("set", "a", "--reason", "x", "--for", "0");
  expect(code).toBe(2);
  expect(stderr).toContain('--for must be a whole number 1..3600, got "0"');
});
