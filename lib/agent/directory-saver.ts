import type { DirectoryDelta, DirectoryHead } from "@/lib/core/directory";
import type { Log } from "@/lib/log";
import type { DirectoryFile } from "./directory-file";

export type DirectorySaver = {
  /** The whole directory, as it is when its turn comes. */
  saveBase(): void;
  /** What was applied since. */
  saveDeltas(deltas: readonly DirectoryDelta[]): void;
  /** Resolves once nothing is left to write. */
  settled(): Promise<void>;
};

type Options = {
  file: DirectoryFile;
  /** Null while there is none. Its chunks may contain what is applied while they are written. */
  current(): { head: DirectoryHead; chunks: Iterable<Uint8Array> } | null;
  log: Log;
};

/**
 * Writes the gateway's file aside: two million keys take seconds, and deltas do not wait for a disk. Those that come
 * meanwhile follow the base in the file; that it may contain some of them does no harm, as the newest entry holds.
 */
export function createDirectorySaver({ file, current, log }: Options): DirectorySaver {
  let wantsBase = false;
  let pending: DirectoryDelta[] = [];
  let work: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    while (wantsBase || pending.length > 0) {
      if (!wantsBase) {
        const deltas = pending;
        pending = [];
        wantsBase = !(await file.append(deltas));
        continue;
      }
      wantsBase = false;
      // All that was applied is in it.
      pending = [];
      const base = current();
      if (base !== null) await file.writeBase(base.head, base.chunks);
    }
  }

  function start(): void {
    work ??= Promise.resolve()
      .then(writeAll)
      .catch((error: unknown) => {
        // The next delta finds the file not to be whole, and wants a base.
        pending = [];
        wantsBase = false;
        log.error({ error }, "boot file of the directory cannot be written");
      })
      .finally(() => {
        work = null;
      });
  }

  return {
    saveBase: () => {
      wantsBase = true;
      start();
    },
    saveDeltas: (deltas) => {
      pending.push(...deltas);
      start();
    },
    settled: async () => {
      while (work !== null) await work;
    },
  };
}
