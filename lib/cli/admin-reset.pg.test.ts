import { afterAll, beforeAll, expect, test } from "vitest";
import { findInvitation, signIn } from "../control";
import { runCli } from "../testing/cli-io";
import { createTestControl, type TestControl } from "../testing/control";

const origin = "https://ops.example.com";
let world: TestControl;
let env: Record<string, string>;
beforeAll(async () => {
  world = await createTestControl({ publicUrl: origin });
  env = { DATABASE_URL: world.database.url, HEADGATE_PUBLIC_URL: origin };
});
afterAll(() => world.close());

const argv = ["admin", "reset", "--email", "Root@example.com"];

test("the link alone goes to standard output, and opens", async () => {
  const { code, stdout, stderr } = await runCli(argv, { env });
  expect(stderr).toContain("root@example.com is an admin, newly made; all its sessions ended.");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^https:\/\/ops\.example\.com\/welcome#\S{40}\n$/);
  const token = new URL(stdout.trim()).hash.slice(1);
  expect(await findInvitation(world.control, { token })).toMatchObject({ kind: "reset" });
});

test("a password from standard input signs in", async () => {
  const password = "from standard input";
  const { code, stdout } = await runCli([...argv, "--password-stdin"], {
    env,
    stdin: `${password}\n`,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  const headers = new Headers({ origin });
  const { session } = await signIn(world.control, { email: "root@example.com", password, headers });
  expect(session.user.role).toBe("admin");
});

test.each([
  [[...argv, "--password-stdin"], {}, "the password must be 8..128 characters, got 5", 1],
  [argv, { DATABASE_URL: "" }, "DATABASE_URL must be", 1],
  [
    ["admin", "reset", "--email", "nobody"],
    {},
    '--email must be an email address, got "nobody"',
    2,
  ],
])("%j with %j is refused in a sentence", async (given, more, message, expected) => {
  const { code, stderr } = await runCli(given, { env: { ...env, ...more }, stdin: "short" });
  expect(stderr).toContain(message);
  expect(code).toBe(expected);
});
