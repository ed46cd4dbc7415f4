"use client";

import { useEffect, useState } from "react";
import type { Demand } from "@/lib/core/backtest-demand";
import { decodeDemand } from "@/lib/core/demand-bytes";

export type LoadedDemand = { demand: Demand | null; error: string | null };

/** What was asked of a backtest's rule, loaded once: a limit is estimated on it here. */
export function useDemand(id: string): LoadedDemand {
  const [loaded, setLoaded] = useState<LoadedDemand>({ demand: null, error: null });

  useEffect(() => {
    const controller = new AbortController();
    load(id, controller.signal)
      .then((demand) => setLoaded({ demand, error: null }))
      .catch((cause: unknown) => {
        if (controller.signal.aborted) return;
        setLoaded({ demand: null, error: cause instanceof Error ? cause.message : String(cause) });
      });
    return () => controller.abort();
  }, [id]);

  return loaded;
}

async function load(id: string, signal: AbortSignal): Promise<Demand> {
  const response = await fetch(`/api/v1/backtests/${id}/demand`, { signal });
  if (!response.ok) throw new Error(`the console answered ${response.status}`);
  // Packed as it is kept, not for the way: no server in between unpacks or packs it.
  const unpacked = response.body?.pipeThrough(new DecompressionStream("gzip"));
  return decodeDemand(new Uint8Array(await new Response(unpacked).arrayBuffer()));
}
