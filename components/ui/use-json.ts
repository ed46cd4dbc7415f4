"use client";

import { useEffect, useState } from "react";
import type { z } from "zod";
import { getJson } from "./get-json";

export type Loaded<T> = { data: T | undefined; error: string | undefined };

/** Reads once from the console's own API, and anew when the path changes; null reads nothing. */
export function useJson<S extends z.ZodType>(path: string | null, schema: S): Loaded<z.output<S>> {
  const [loaded, setLoaded] = useState<Loaded<z.output<S>> & { path: string | null }>();

  useEffect(() => {
    if (path === null) return;
    const controller = new AbortController();
    getJson(path, schema, controller.signal)
      .then((data) => setLoaded({ path, data, error: undefined }))
      .catch((cause: unknown) => {
        if (controller.signal.aborted) return;
        const error = cause instanceof Error ? cause.message : String(cause);
        setLoaded({ path, data: undefined, error });
      });
    return () => controller.abort();
  }, [path, schema]);

  return loaded?.path === path
    ? { data: loaded.data, error: loaded.error }
    : { data: undefined, error: undefined };
}
