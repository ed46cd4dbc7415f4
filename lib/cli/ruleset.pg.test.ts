import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../testing/cli-io";
import { type ConsoleApi, openConsoleApi, TOKENS } from "../testing/console-api";

let api: ConsoleApi;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  api = await openConsoleApi({ demo: true });
  env = { HEADGATE_CONTROL_URL: await api.listen(), HEADGATE_TOKEN: TOKENS.admin };
  folder = await mkdtemp(join(tmpdir(), "headgate-test-ruleset-"));
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const cli = (argv: string[], stdin = "") => runCli(argv, { env, stdin });
const versions = async () => Number((await api.call("GET /versions?limit=1")).json.current);

test("pull, push, diff: nothing differs, and nothing is in the draft", async () => {
  const file = join(folder, "all.yaml");
  expect((await cli(["pull", file])).code).toBe(0);
  const pushed = await cli(["push", file, "--prune"]);
  expect(pushed).toMatchObject({ code: 0, stdout: "" });
  expect(pushed.stderr).toContain("nothing differs from version 1");
  expect(await cli(["diff", file, "--prune"])).toMatchObject({ code: 0, stdout: "" });
  expect((await api.call("GET /draft")).json.changes).toEqual([]);
  const again = await cli(["pull"]);
  expect(again.stdout).toBe(await readFile(file, "utf8"));
});

const TWO = `
plans:
  007: {name: Bond, rank: 7}
rules:
  - id: 0123
    name: By number
    countBy: [apiKey]
    match: {plans: [007]}
    limit: {kind: rate, algorithm: token-bucket, default: {rate: 5, per: 1m, burst: 5}, perPlan: {007: unlimited}}
    meta: {ticket: 0x7, nested: {kept: [1, two]}}
`;

test("a file of some objects changes those, tells what it does not name, and is published with a message", async () => {
  const file = join(folder, "two.yaml");
  await writeFile(file, TWO);
  const before = await cli(["diff", file]);
  expect(before.code).toBe(1);
  expect(before.stdout.split("\n").filter(Boolean)).toHaveLength(2);
  expect((await api.call("GET /draft")).json.changes).toEqual([]);
  const pushed = await cli(["push", file]);
  expect(pushed.code).toBe(0);
  expect(pushed.stderr).toContain("left as they are (--prune removes them): rule");
  expect(pushed.stderr).toContain("saved in the draft, not published");
  expect((await cli(["diff", file])).code).toBe(0);
  const pulled = await cli(["pull", "--draft"]);
  expect(pulled.stdout).toContain("nested:");

  expect((await cli(["push", file, "--publish"])).code).toBe(2);
  const done = await cli(["push", file, "--publish", "-m", "by number"]);
  expect(done.stderr).toContain("published as version 2");
  expect((await api.call("GET /rules/0123")).json).toMatchObject({ id: "0123", mode: "shadow" });
  const { json } = await api.call("GET /versions/2");
  expect(JSON.stringify(json.body)).toContain('"perPlan":{"007":"unlimited"}');
});

test("--prune removes what the file does not name, and diff --prune only says so", async () => {
  const file = join(folder, "two.yaml");
  const removed = await cli(["diff", file, "--prune"]);
  expect(removed.stdout).toContain("removes rule per-key-rate, which was enforced");
  expect(await versions()).toBe(2);
});

test.each([
  ["a number as text", 'rules: [{id: a, cost: "60"}]', "rules.a.cost"],
  [
    "a time of day as a duration",
    "rules: [{id: a, limit: {kind: rate, algorithm: token-bucket, default: {rate: 1, per: 1:30, burst: 1}}}]",
    "1:30",
  ],
  ["no id", "rules: [{name: x}]", "rules.0.id"],
  [
    "an id twice",
    "rules: [{id: a, name: A, countBy: [ip], limit: {kind: rate, algorithm: token-bucket, default: unlimited}}, {id: a, name: A, countBy: [ip], limit: {kind: rate, algorithm: token-bucket, default: unlimited}}]",
    "occurs twice",
  ],
  ["an octal number", "rules: [{id: a, cost: 0o17}]", "decimal"],
  ["a second document", "rules: []\n---\nrules: []", "multiple documents"],
])("%s is refused with its place, and nothing is saved", async (_, text, message) => {
  const { code, stdout, stderr } = await cli(["push", "-"], text);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(message);
  expect((await api.call("GET /draft")).json.changes).toEqual([]);
});

test("1,000 rules are pushed in one step, and the text of the draft is theirs", async () => {
  const rules = Array.from(
    { length: 1_000 },
    (_, i) =>
      `  - {id: many-${i}, name: Rule ${i}, countBy: [ip], match: {routes: [/v1/r${i}]}, limit: {kind: rate, algorithm: token-bucket, default: {rate: 9, per: 1m, burst: 9}}}`,
  );
  const text = `rules:\n${rules.join("\n")}\n`;
  expect((await cli(["push", "-", "--publish", "-m", "many"], text)).code).toBe(0);
  expect((await api.call("GET /rules?q=Rule%20873")).json).toMatchObject({
    items: [{ id: "many-873" }],
  });
  expect((await cli(["diff", "-"], text)).code).toBe(0);
}, 60_000);
