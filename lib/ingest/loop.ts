import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@/lib/log";

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

type Loop = {
  name: string;
  /** Once through; what it throws is logged and tried again later. */
  pass: () => Promise<void>;
  /** Rest between two passes; 0 for one that waits by itself. */
  everyMs: number;
  log: Log;
  /** Ends a rest early. */
  wake?: Wake;
};

/** Until `signal` aborts. Failures back off, with jitter so that several workers do not retry in step; no pass stops another loop. */
export async function runLoop(
  { name, pass, everyMs, log, wake = createWake() }: Loop,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await pass();
      if (failures > 0) log.info({ loop: name, failures }, "loop recovered");
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const fields = { loop: name, failures, reason: reasonOf(error) };
      if (failures === 1) log.warn({ ...fields, error }, "loop failed, will try again");
      else log.debug(fields, "loop failed again");
    }
    if (failures > 0) await rest(jittered(backoffMs(failures)), signal);
    else if (everyMs > 0) await wake.wait(jittered(everyMs), signal);
  }
}

export type Wake = {
  /** Ends the rest that is going on, or the next one. */
  wake(): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

export function createWake(): Wake {
  let isWoken = false;
  let end: (() => void) | undefined;
  return {
    wake: () => {
      isWoken = true;
      end?.();
    },
    wait: async (ms, signal) => {
      if (!isWoken) {
        const woken = new AbortController();
        end = () => woken.abort();
        await rest(ms, AbortSignal.any([signal, woken.signal]));
        end = undefined;
      }
      isWoken = false;
    },
  };
}

/** Sleeps; an abort ends it early and is no error. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

export function backoffMs(failures: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** Math.min(failures - 1, 10));
}

function jittered(ms: number): number {
  return ms * (0.9 + Math.random() * 0.2);
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
