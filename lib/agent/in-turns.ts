import { setImmediate as yieldToRequests } from "node:timers/promises";
import type { Steps } from "@/lib/core/steps";

/** What requests wait for such work at a time, and one step more. Halved, a version takes longer to be in force. */
const TURN_MS = 1;

/** Runs the steps in short turns: between two the event loop serves what came meanwhile. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let endsAtMs = performance.now() + TURN_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < endsAtMs) continue;
    await yieldToRequests();
    endsAtMs = performance.now() + TURN_MS;
  }
}
