import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { readScript } from "./scripts";

const folder = mkdtempSync(join(tmpdir(), "headgate-test-scripts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test("a bundle finds the script in lua/ beside it, and says so when it is not there", async () => {
  const outfile = join(folder, "gateway.mjs");
  await build({
    stdin: {
      contents: `import { readScript } from "./scripts"; process.stdout.write(readScript("check"));`,
      resolveDir: here("."),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "silent",
  });
  const run = () => execFileSync(process.execPath, [outfile], { encoding: "utf8", stdio: "pipe" });
  expect(run).toThrow(/lua.check\.lua cannot be read: copy lib\/limiter\/lua/);
  cpSync(here("lua"), join(folder, "lua"), { recursive: true });
  expect(run()).toBe(readScript("check"));
});
