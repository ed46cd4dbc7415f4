import { isCurrent } from "./decide";
import type { StateRecord } from "./record";

/** More than one, so that forgetting is faster than filling. */
const KEYS_A_CALL = 2;

/** Forgets buckets that are full again, a few keys at each call, round and round. */
export function createSweep(states: Map<string, StateRecord[]>): (nowUs: number) => void {
  let sweep = states.entries();
  return (nowUs) => {
    for (let i = 0; i < KEYS_A_CALL; i += 1) {
      const next = sweep.next();
      if (next.done === true) {
        sweep = states.entries();
        return;
      }
      const [key, records] = next.value;
      if (!records.some((record) => isCurrent(record, nowUs))) states.delete(key);
    }
  };
}
