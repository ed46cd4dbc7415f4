import type { ReactNode } from "react";
import type { Way } from "./limit-ways";

type WayWords = { label: string; hint: string; amounts: ReactNode };

/** What each way to limit is called, what it is for, and how its amounts are given. */
export const WAY_WORDS: Record<Way, WayWords> = {
  "token-bucket": {
    label: "Rate, with bursts",
    hint: "Token bucket: so many per interval, saved up to a burst.",
    amounts: (
      <>
        So many requests in each interval, saved up to the burst. Intervals as <code>90s</code>,{" "}
        <code>1m</code>, <code>1h</code> or <code>1d</code>, at most 30 days.
      </>
    ),
  },
  "sliding-window": {
    label: "Rate, without bursts",
    hint: "Sliding window: at most so many in any interval.",
    amounts: (
      <>
        At most so many requests in any stretch of that length, as two counters estimate it. Lengths
        as <code>90s</code>, <code>1m</code>, <code>1h</code> or <code>1d</code>, at most 30 days.
      </>
    ),
  },
  "fixed-window": {
    label: "Quota by the calendar",
    hint: "Fixed window: so many a day or month, anew at midnight.",
    amounts: (
      <>
        So many requests in each window, all anew when the next begins. Windows as <code>15m</code>,{" "}
        <code>1h</code>, <code>1d</code> or <code>1mo</code>, at most a year.
      </>
    ),
  },
  concurrency: {
    label: "At the same time",
    hint: "Concurrency: so many requests in flight at once.",
    amounts: "So many requests may be under way at once; each takes a place until it is answered.",
  },
  fleet: {
    label: "Shed for the fleet",
    hint: "Refuses the less important while all gateways take too much.",
    amounts: null,
  },
  worker: {
    label: "Shed for one gateway",
    hint: "Refuses the less important while a gateway itself is too busy.",
    amounts: null,
  },
};
