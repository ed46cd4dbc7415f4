/** Beyond these a connection gets the present state once, and asks again later. */
const STREAMS_MAX = 500;
const OF_ONE_OWNER_MAX = 20;

type Open = { owner: string; stop(): void };

/** Next loads this module once per bundle; the bound and the end are the process's. */
const holder = globalThis as typeof globalThis & { headgateStreams?: Set<Open> | undefined };

export const openStreams = {
  /** Null when there are too many already; else to be called at its end. */
  enter(entry: Open): (() => void) | null {
    holder.headgateStreams ??= new Set();
    const all = holder.headgateStreams;
    const own = [...all].filter(({ owner }) => owner === entry.owner).length;
    if (all.size >= STREAMS_MAX || own >= OF_ONE_OWNER_MAX) return null;
    if (all.size === 0) for (const signal of SIGNALS) process.on(signal, stopAll);
    all.add(entry);
    return () => {
      all.delete(entry);
      if (all.size === 0) for (const signal of SIGNALS) process.off(signal, stopAll);
    };
  },
};

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Next's own handler waits for open answers, and these have no end of their own. */
function stopAll(): void {
  for (const { stop } of [...(holder.headgateStreams ?? [])]) stop();
}
