// Keeps processes running, in stages that are stopped one after the other. Built-ins only.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, lastLines } from "./child.mjs";

/**
 * @typedef {import("./child.mjs").Running} Running
 * @typedef {{ name: string, stage: number, logFile: string, start: () => Running, restartAfterMs?: number }} Kept
 *   `stage` 0 is stopped first.
 */

const LONGEST_WAIT_MS = 30_000;
// One that ran this long is not in a crash loop.
const STEADY_MS = 10_000;

/**
 * @param {{ file: string, say: (line: string) => void }} options `file` remembers who runs, for a start after a crash
 */
export function createKeeper({ file, say }) {
  /** @type {Map<string, { kept: Kept, running: Running }>} */
  const all = new Map();
  /** @type {Map<string, number>} */
  const failures = new Map();
  let stopping = false;

  /**
   * Starts a process and resolves when it is ready; from then on it is started again when it ends.
   * @param {Kept} kept
   */
  async function keep(kept) {
    if (stopping) throw new Error(`${kept.name} is not started, as everything is being stopped`);
    const running = kept.start();
    const began = performance.now();
    let isUp = false;
    all.set(kept.name, { kept, running });
    record();
    void running.exited.then((how) => {
      all.delete(kept.name);
      if (stopping) return;
      record();
      if (!isUp) return;
      failures.set(
        kept.name,
        performance.now() - began < STEADY_MS ? (failures.get(kept.name) ?? 0) + 1 : 0,
      );
      say(`${kept.name} ended by itself (${how}).${lastLines(kept.logFile)}`);
      void restart(kept);
    });
    await running.ready;
    isUp = true;
  }

  /** @param {Kept} kept */
  async function restart(kept) {
    for (;;) {
      const tries = failures.get(kept.name) ?? 0;
      const waitMs = Math.min(
        (kept.restartAfterMs ?? 500) * 2 ** Math.max(0, tries - 1),
        LONGEST_WAIT_MS,
      );
      say(`${kept.name} is started again in ${waitMs / 1000} s`);
      await sleep(waitMs, undefined, { ref: false });
      if (stopping) return;
      try {
        await keep(kept);
        say(`${kept.name} runs again`);
        return;
      } catch (error) {
        if (stopping) return;
        failures.set(kept.name, tries + 1);
        say(error instanceof Error ? error.message : String(error));
      }
    }
  }

  async function stop() {
    stopping = true;
    const stages = [...new Set([...all.values()].map(({ kept }) => kept.stage))].sort(
      (a, b) => a - b,
    );
    for (const stage of stages) {
      const members = [...all.values()].filter(({ kept }) => kept.stage === stage);
      await Promise.all(members.map(({ running }) => running.stop()));
    }
    rmSync(file, { force: true });
  }

  function killAll() {
    stopping = true;
    for (const { kept, running } of all.values())
      running.kill(kept.name === "postgres" ? "SIGQUIT" : "SIGKILL");
    rmSync(file, { force: true });
  }

  function record() {
    const processes = [...all.values()].map(({ kept, running }) => ({
      name: kept.name,
      stage: kept.stage,
      pid: running.pid,
      born: bornAt(running.pid),
    }));
    const self = { pid: process.pid, born: bornAt(process.pid) };
    writeFileSync(`${file}.new`, `${JSON.stringify({ ...self, processes }, null, 2)}\n`, {
      mode: 0o600,
    });
    renameSync(`${file}.new`, file);
  }

  record();
  return { keep, stop, killAll };
}

/**
 * Reads what an earlier supervisor left. One that still runs is reported; the processes of one that was killed are stopped.
 * @param {string} file
 * @returns {Promise<{ pid: number } | { stopped: string[] }>}
 */
export async function clearEarlier(file) {
  if (!existsSync(file)) return { stopped: [] };
  const { pid, born, processes = [] } = parse(readFileSync(file, "utf8"));
  if (isSame({ pid, born })) return { pid };
  const left = processes.filter(isSame).sort((a, b) => a.stage - b.stage);
  for (const process_ of left) await end(process_);
  rmSync(file, { force: true });
  return { stopped: left.map(({ name }) => name) };
}

/** @param {{ name: string, pid: number, born: string | undefined }} left */
async function end(left) {
  for (const signal of left.name === "postgres" ? ["SIGINT", "SIGQUIT"] : ["SIGTERM", "SIGKILL"]) {
    process.kill(left.pid, signal);
    for (let waited = 0; waited < 3_000 && isSame(left); waited += 25) await sleep(25);
    if (!isSame(left)) return;
  }
}

/** @param {{ pid: number, born?: string | undefined }} process_ */
function isSame({ pid, born }) {
  return isAlive(pid) && bornAt(pid) === born;
}

/**
 * When a process began: with the pid it names one process, also after the pid was given to another.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function bornAt(pid) {
  try {
    if (process.platform !== "linux") {
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    }
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended: only its parent has not looked yet.
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * @param {string} text
 * @returns {{ pid: number, born?: string, processes?: { name: string, stage: number, pid: number, born?: string }[] }}
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { pid: 0 };
  }
}
