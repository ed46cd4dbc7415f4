import type { CheckResult } from "@/lib/core/check";
import type { Log } from "@/lib/log";
import type { LimiterCounters } from "./counters";
import { redirectOf } from "./redirect";
import { GIVEN_UP } from "./shard";
import type { LimiterRule } from "./state-key";

/** After each of them a refund that surely did not run is tried again. Later it might give back what has refilled. */
const RETRY_MS = [20, 80];
/** Waiting for their next try; beyond, they are lost. */
const WAITING_MAX = 1_000;

export type Refunds = {
  /** Returns at once; what comes of it is counted. */
  give(place: number, rules: readonly LimiterRule[]): void;
  close(): void;
};

/** Gives tokens back, once each: a refund that perhaps ran is not sent again, but counted as lost. */
export function createRefunds({
  ask,
  onGiven,
  counters,
  log,
}: {
  ask(place: number, rules: readonly LimiterRule[]): Promise<CheckResult>;
  /** They are sent, and again when they ran. */
  onGiven(rules: readonly LimiterRule[]): void;
  counters: LimiterCounters;
  log: Log;
}): Refunds {
  const waiting = new Set<{ timer: NodeJS.Timeout; buckets: number }>();
  let isClosed = false;

  async function give(place: number, rules: readonly LimiterRule[], tries: number): Promise<void> {
    onGiven(rules);
    const result = await ask(place, rules);
    const delayMs = RETRY_MS[tries];
    if (result.verdict !== "unavailable") {
      counters.refunds += rules.length;
      onGiven(rules);
    } else if (
      delayMs !== undefined &&
      !isClosed &&
      waiting.size < WAITING_MAX &&
      cannotHaveRun(result)
    )
      wait(delayMs, rules.length, () => send(place, rules, tries + 1));
    else counters.lostRefunds += rules.length;
  }

  function send(place: number, rules: readonly LimiterRule[], tries: number): void {
    give(place, rules, tries).catch((error: unknown) => {
      counters.lostRefunds += rules.length;
      log.error({ error }, "a refund failed inside the limiter");
    });
  }

  function wait(delayMs: number, buckets: number, again: () => void): void {
    const entry = {
      buckets,
      timer: setTimeout(() => {
        waiting.delete(entry);
        again();
      }, delayMs),
    };
    entry.timer.unref();
    waiting.add(entry);
  }

  return {
    give: (place, rules) => send(place, rules, 0),
    close() {
      isClosed = true;
      for (const { timer, buckets } of waiting) {
        clearTimeout(timer);
        counters.lostRefunds += buckets;
      }
      waiting.clear();
    },
  };
}

function cannotHaveRun(result: CheckResult): boolean {
  if (result.verdict !== "unavailable") return false;
  return (
    result.reason === "expired" || result.message === GIVEN_UP || redirectOf(result) !== undefined
  );
}
