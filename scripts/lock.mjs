// Lets one process at a time do a piece of work on this checkout. Built-ins only.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "./child.mjs";

/**
 * @template T
 * @param {{ root: string, name: string }} what
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock({ root, name }, work) {
  const id = createHash("sha256").update(root).digest("hex").slice(0, 12);
  const folder = join(tmpdir(), `headgate-${name}-${id}.lock`);
  const owner = join(folder, "pid");
  let told = false;
  for (let empty = 0; !take(folder); ) {
    const pid = Number(read(owner));
    // The owner writes its pid just after it made the folder; one that stays empty was left by a crash.
    empty = pid === 0 ? empty + 1 : 0;
    if ((pid !== 0 && !isAlive(pid)) || empty > 20)
      rmSync(folder, { recursive: true, force: true });
    else if (!told && pid !== 0) {
      told = true;
      console.log(`  waiting for process ${pid}, which does the same work (${name}) here`);
    }
    await sleep(100);
  }
  writeFileSync(owner, String(process.pid));
  try {
    return await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function take(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
