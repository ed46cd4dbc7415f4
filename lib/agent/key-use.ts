import type { Clock } from "@/lib/clock";
import type { ClientId } from "@/lib/core/client-id";

/** A gateway names a key this often at most, however busy its client is. */
export const KEY_TOLD_EVERY_MS = 3_600_000;
/** In one batch; the rest waits for the next. */
export const KEYS_A_BATCH = 200;
/** Of each kind of memory. A key beyond it is named when it is used again, or more often than it need be. */
const KEYS_MAX = 50_000;

export type KeyUse = {
  used(client: ClientId): void;
  /** Ids of keys that were used and not named within the last hour. */
  take(): string[];
};

/** Which keys were used: to the hour, in a memory that millions of keys cannot fill. */
export function createKeyUse({ clock }: { clock: Pick<Clock, "monotonicMs"> }): KeyUse {
  /** In the order in which they were told. */
  const toldMs = new Map<ClientId, number>();
  const waiting = new Set<ClientId>();

  function tell(client: ClientId, nowMs: number): string {
    waiting.delete(client);
    toldMs.delete(client);
    toldMs.set(client, nowMs);
    const [oldest] = toldMs.keys();
    if (toldMs.size > KEYS_MAX && oldest !== undefined) toldMs.delete(oldest);
    return client.slice("key:".length);
  }

  return {
    used: (client) => {
      if (waiting.size >= KEYS_MAX || !client.startsWith("key:")) return;
      const atMs = toldMs.get(client);
      if (atMs === undefined || clock.monotonicMs() - atMs >= KEY_TOLD_EVERY_MS)
        waiting.add(client);
    },
    take: () => {
      const ids: string[] = [];
      const nowMs = clock.monotonicMs();
      for (const client of waiting) {
        if (ids.length === KEYS_A_BATCH) break;
        ids.push(tell(client, nowMs));
      }
      return ids;
    },
  };
}
