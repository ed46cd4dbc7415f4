"use client";

import { useEffect, useEffectEvent, useState } from "react";

/** `lost`: since when, and how often it was tried in vain. */
export type StreamStatus =
  | { state: "opening" | "live" | "ended" }
  | { state: "lost"; since: number; failures: number };

type Options = {
  events: readonly string[];
  /** The data of an event, parsed. */
  onEvent(event: string, data: unknown): void;
  enabled: boolean;
};

/** The server beats every 5 s: a connection that is silent this long is dead, whatever the browser thinks. */
const SILENT_MS = 13_000;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 5_000;
/** The server has too many connections, and gave its state once. */
const BUSY_RETRY_MS = 10_000;

/**
 * Server-Sent Events while the page is in view: opened anew whenever they break off, from where they were. Also
 * understands the server's own `beat` and `end`; any end but a short one is final.
 */
export function useEventStream(path: string, { events, onEvent, enabled }: Options): StreamStatus {
  const [status, setStatus] = useState<StreamStatus>({ state: "opening" });
  const tell = useEffectEvent(onEvent);
  const names = events.join(" ");

  useEffect(() => {
    if (!enabled) return;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = "";
    let failures = 0;
    let isOver = false;

    function close() {
      clearTimeout(timer);
      source?.close();
      source = undefined;
    }

    function heard() {
      failures = 0;
      setStatus((now) => (now.state === "live" ? now : { state: "live" }));
      clearTimeout(timer);
      timer = setTimeout(lose, SILENT_MS);
    }

    function lose() {
      close();
      failures += 1;
      setStatus((now) => ({
        state: "lost",
        since: now.state === "lost" ? now.since : Date.now(),
        failures,
      }));
      const pause = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (failures - 1));
      // A restarted console is not asked by all of its pages at once.
      timer = setTimeout(open, pause * (0.75 + Math.random() / 2));
    }

    function end(reason: unknown) {
      close();
      if (reason === "busy") timer = setTimeout(open, BUSY_RETRY_MS);
      else if (reason === "stopping") lose();
      else {
        isOver = true;
        setStatus({ state: "ended" });
      }
    }

    function open() {
      close();
      if (isOver || document.visibilityState === "hidden") return;
      const mine = new EventSource(last === "" ? path : `${path}?last=${encodeURIComponent(last)}`);
      source = mine;
      timer = setTimeout(lose, SILENT_MS);
      mine.onopen = heard;
      mine.onerror = lose;
      mine.addEventListener("beat", heard);
      for (const name of [...names.split(" "), "end"])
        mine.addEventListener(name, ({ data, lastEventId }) => {
          if (source !== mine) return;
          const parsed: unknown = JSON.parse(data);
          heard();
          if (lastEventId !== "") last = lastEventId;
          tell(name, parsed);
          if (name === "end") end(Object(parsed).reason);
        });
    }

    const onVisibility = () => (document.visibilityState === "hidden" ? close() : open());
    document.addEventListener("visibilitychange", onVisibility);
    open();
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      close();
    };
  }, [path, names, enabled]);

  return status;
}
