import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../scripts/child.mjs";
import { bornAt } from "../../scripts/keeper.mjs";

const NAME = /^headgate-test-[a-z]+-(\d+)-/;

/** A temporary folder that names this process, so that a later run can tell whether its servers are orphans. */
export function makeTestFolder(kind: string): string {
  return mkdtempSync(join(tmpdir(), `headgate-test-${kind}-${process.pid}-`));
}

/** Notes a process that must not outlive this one. */
export function remember(folder: string, pid: number): void {
  writeFileSync(join(folder, `${pid}.pid`), bornAt(pid) ?? "");
}

/** Ends the servers of test runs that were killed before they could. */
export function sweepLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const runner = NAME.exec(name)?.[1];
    if (runner === undefined || isAlive(Number(runner))) continue;
    const folder = join(tmpdir(), name);
    for (const { pid, born } of remembered(folder)) {
      // SIGQUIT ends Postgres with its children, and every other server as well.
      if (bornAt(pid) === born) process.kill(pid, "SIGQUIT");
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function remembered(folder: string): { pid: number; born: string }[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".pid"))
      .map((file) => ({
        pid: Number.parseInt(file, 10),
        born: readFileSync(join(folder, file), "utf8"),
      }));
  } catch {
    // Another run sweeps the same folder at this moment.
    return [];
  }
}
