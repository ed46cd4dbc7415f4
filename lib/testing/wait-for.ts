import { setTimeout as sleep } from "node:timers/promises";

type Options = { timeoutMs?: number; intervalMs?: number; what?: string };

/** Polls until the condition gives something truthy, and returns it. A condition that throws counts as not yet. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 5_000, intervalMs = 20, what = "the condition" }: Options = {},
): Promise<NonNullable<Exclude<T, false | 0 | "">>> {
  const deadline = performance.now() + timeoutMs;
  let last: { value: T } | { error: unknown };
  for (;;) {
    try {
      const value = await condition();
      if (isHeld(value)) return value;
      last = { value };
    } catch (error) {
      last = { error };
    }
    if (performance.now() > deadline) {
      const seen =
        "error" in last ? `threw ${String(last.error)}` : `gave ${JSON.stringify(last.value)}`;
      throw new Error(`${what} did not hold within ${timeoutMs} ms; at last it ${seen}`, {
        cause: "error" in last ? last.error : undefined,
      });
    }
    await sleep(intervalMs);
  }
}

function isHeld<T>(value: T): value is NonNullable<Exclude<T, false | 0 | "">> & T {
  return Boolean(value);
}
