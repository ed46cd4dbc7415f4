import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLock } from "./lock.mjs";

const what = () => ({ root: `/nowhere/${Math.random()}`, name: "test" });

test("two pieces of work never overlap, and the second gets its turn after the first threw", async () => {
  const lock = what();
  const events: string[] = [];
  const work = (name: string, fail: boolean) =>
    withLock(lock, async () => {
      events.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      events.push(`${name} out`);
      if (fail) throw new Error(name);
    });
  const results = await Promise.allSettled([work("a", true), work("b", false)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(events).toEqual(["a in", "a out", "b in", "b out"]);
});

test("a lock whose owner is dead is taken over", async () => {
  const lock = what();
  const id = createHash("sha256").update(lock.root).digest("hex").slice(0, 12);
  const folder = join(tmpdir(), `headgate-test-${id}.lock`);
  mkdirSync(folder);
  writeFileSync(join(folder, "pid"), "4194305");
  expect(await withLock(lock, () => "done")).toBe("done");
  expect(existsSync(folder)).toBe(false);
});
