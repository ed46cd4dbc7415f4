import type { Clock } from "@/lib/clock";

/** A gateway names an override this often at most, however busy its client is. */
export const USE_TOLD_EVERY_MS = 60_000;
/** In one batch; the rest waits for the next. */
export const USES_MAX = 1_000;

export type OverrideUse = {
  used(id: string): void;
  /** Ids that were used and not named within the last minute. */
  take(): string[];
};

/** Which overrides decided something: to the minute, so that a request costs a look-up and a batch a few ids. */
export function createOverrideUse({ clock }: { clock: Pick<Clock, "monotonicMs"> }): OverrideUse {
  const toldMs = new Map<string, number>();
  const waiting = new Set<string>();

  function forgetOld(nowMs: number): void {
    for (const [id, atMs] of toldMs) {
      // In the order in which they were told.
      if (nowMs - atMs < USE_TOLD_EVERY_MS) return;
      toldMs.delete(id);
    }
  }

  return {
    used: (id) => {
      const atMs = toldMs.get(id);
      if (atMs !== undefined && clock.monotonicMs() - atMs < USE_TOLD_EVERY_MS) return;
      waiting.add(id);
    },
    take: () => {
      if (waiting.size === 0) return [];
      const nowMs = clock.monotonicMs();
      forgetOld(nowMs);
      const ids = [...waiting].slice(0, USES_MAX);
      for (const id of ids) {
        waiting.delete(id);
        toldMs.set(id, nowMs);
      }
      return ids;
    },
  };
}
