// Progress for people: a line a step, with what it took. Built-ins only.
import { interrupt } from "./child.mjs";

const isTerminal = process.stdout.isTTY === true;
let quiet = false;

/** Shows steps no more: for programs whose standard output is read by others. */
export function beQuiet() {
  quiet = true;
}

/**
 * Runs a step, showing that it runs and how long it took. `work` may say a word on the outcome.
 * @template T
 * @param {string} title
 * @param {(say: (outcome: string) => void) => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  if (quiet) return work(() => {});
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const label = title.padEnd(14);
  let outcome = "ready";
  const tick = () =>
    isTerminal
      ? process.stdout.write(`\r  ${label} … ${seconds()}`)
      : console.log(`  ${label} … ${seconds()}`);
  const timer = setInterval(tick, isTerminal ? 100 : 10_000);
  try {
    const result = await work((text) => {
      outcome = text;
    });
    clear(timer);
    console.log(`  ${label} ${outcome} (${seconds()})`);
    return result;
  } catch (error) {
    clear(timer);
    console.log(`  ${label} ${interrupt.signal.aborted ? "interrupted" : "failed"} (${seconds()})`);
    throw error;
  }
}

/** @param {NodeJS.Timeout} timer */
function clear(timer) {
  clearInterval(timer);
  if (isTerminal) process.stdout.write("\r\u001b[K");
}
