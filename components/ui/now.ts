"use client";

import { useSyncExternalStore } from "react";

const TICK_MS = 5000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

// React wants one stable answer while it hydrates; on the server each render has its own time.
function serverNow(): number {
  return typeof window === "undefined" ? Date.now() : now;
}

/** The current time for the whole page from one timer; on the server the time of rendering. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now, serverNow);
}
