"use client";

import { useEffect, useEffectEvent } from "react";

/**
 * Runs `poll` every `everyMs` while the page is in view, one at a time, and at once when it comes into view
 * again. It stops when `poll` answers false.
 */
export function usePoll(
  poll: (signal: AbortSignal) => Promise<boolean>,
  { everyMs, enabled = true }: { everyMs: number; enabled?: boolean },
): void {
  const run = useEffectEvent(poll);

  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;

    async function turn() {
      clearTimeout(timer);
      if (running || document.visibilityState === "hidden") return;
      running = true;
      const goesOn = await run(controller.signal).finally(() => {
        running = false;
      });
      if (goesOn && !controller.signal.aborted) timer = setTimeout(turn, everyMs);
    }

    const onVisible = () => void turn();
    timer = setTimeout(turn, everyMs);
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [everyMs, enabled]);
}
