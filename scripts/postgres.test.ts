import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { reachableBinaries } from "./postgres.mjs";

const someoneElse = { name: "nobody", uid: 65_534, gid: 65_534 };

test("a copy of closed binaries can be read and run by another account, with no program on PATH", () => {
  const closed = mkdtempSync(join(tmpdir(), "headgate-closed-"));
  onTestFinished(() => rmSync(closed, { recursive: true, force: true }));
  const bin = join(closed, "native", "bin");
  mkdirSync(bin, { recursive: true });
  for (const [file, mode] of [
    [join(bin, "initdb"), 0o700],
    [join(closed, "native", "share"), 0o600],
  ] as const) {
    writeFileSync(file, "");
    chmodSync(file, mode);
  }
  symlinkSync("share", join(closed, "native", "link"));
  chmodSync(bin, 0o700);
  vi.stubEnv("PATH", "/nowhere");
  onTestFinished(() => void vi.unstubAllEnvs());

  const copy = reachableBinaries({ bin, version: "0", source: "package" }, someoneElse);
  onTestFinished(() => rmSync(dirname(copy.bin), { recursive: true, force: true }));
  const mode = (path: string) => (statSync(join(dirname(copy.bin), path)).mode & 0o777).toString(8);
  expect(copy.bin).not.toBe(bin);
  expect([".", "bin", "bin/initdb", "share"].map(mode)).toEqual(["755", "755", "755", "644"]);
});
