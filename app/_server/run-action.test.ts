import { Writable } from "node:stream";
import { redirect } from "next/navigation";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ControlConfig } from "@/lib/control";
import { AppError } from "@/lib/core/errors";
import { createLog } from "@/lib/log";
import { type ActionResult, runAction } from "./run-action";

const config: ControlConfig = {
  environment: "test",
  databaseUrl: "postgresql://nowhere/none",
  secrets: ["0123456789abcdef"],
  redis: { state: { kind: "cluster", nodes: [] }, control: { kind: "cluster", nodes: [] } },
  publicUrl: "https://ops.example.test:8443",
};
const schema = z.strictObject({ name: z.string().min(1, { error: "name must not be empty" }) });

async function run<T>(
  act: (who: string, input: { name: string }) => Promise<T>,
  {
    input = { name: "a" },
    origin = "https://ops.example.test:8443",
    admit = async () => "Dana",
  }: {
    input?: unknown;
    origin?: string;
    admit?: () => Promise<string>;
  } = {},
): Promise<{ result: ActionResult<T>; log: string }> {
  let log = "";
  const destination = new Writable({
    write: (chunk, _, done) => {
      log += String(chunk);
      done();
    },
  });
  const control = { config, log: createLog({ name: "test", level: "info", destination }) };
  const headers = new Headers({ origin, host: "127.0.0.1:3000" });
  return { result: await runAction({ control, headers, schema, input, admit, act }), log };
}

test("who is admitted acts on parsed input", async () => {
  const { result } = await run(async (who, { name }) => `${who} made ${name}`);
  expect(result).toEqual({ ok: true, data: "Dana made a" });
});

test("bad input comes back field by field, and nothing was done", async () => {
  let acted = 0;
  const { result } = await run(
    async () => {
      acted += 1;
    },
    { input: { name: "" } },
  );
  expect(result).toMatchObject({
    ok: false,
    code: "invalid",
    errors: [{ path: "name", message: "name must not be empty" }],
  });
  expect(acted).toBe(0);
});

test("a page of another site is refused before anybody is looked up, and the log tells both values", async () => {
  let admitted = 0;
  const { result, log } = await run(async () => "done", {
    origin: "https://evil.example.test",
    admit: async () => {
      admitted += 1;
      return "Dana";
    },
  });
  expect(result).toMatchObject({ ok: false, code: "forbidden" });
  expect(log).toContain("https://evil.example.test");
  expect(log).toContain("https://ops.example.test:8443");
  expect(admitted).toBe(0);
});

test("a conflict keeps its details", async () => {
  const details = { reason: "stale", current: 7, conflicts: [] };
  const { result } = await run(async () => {
    throw new AppError("conflict", "version 7 is live", { details });
  });
  expect(result).toEqual({
    ok: false,
    code: "conflict",
    message: "version 7 is live",
    errors: [],
    details,
  });
});

test.each([
  new Error("password of db-7 is wrong"),
  new AppError("internal", "password of db-7 is wrong", { details: { host: "db-7" } }),
])("what nobody foresaw is told as a reference only, under which the log has it", async (error) => {
  const { result, log } = await run(async () => {
    throw error;
  });
  expect(result).toMatchObject({ ok: false, code: "internal", details: {} });
  const message = result.ok ? "" : result.message;
  expect(message).not.toContain("db-7");
  const reference = /[0-9a-f-]{36}/.exec(message)?.[0] ?? "none";
  expect(log).toContain(reference);
  expect(log).toContain("password of db-7 is wrong");
});

test("a redirect is no error", async () => {
  await expect(run(async () => redirect("/rules"))).rejects.toThrow("NEXT_REDIRECT");
});
