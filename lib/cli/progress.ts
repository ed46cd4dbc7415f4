import type { Writable } from "node:stream";
import { thousands } from "./table";

const BAR_WIDTH = 24;
const TTY_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 5_000;

export type ProgressState = {
  share: number | null;
  sent: number;
  /** Another word for what is done with them. */
  word?: string;
  tail: string;
};

/** A bar that redraws itself on a terminal; a plain line now and then elsewhere. */
export function createProgress(
  stream: Writable,
  columns: number | null,
  read: () => ProgressState,
): { stop(): void } {
  const startedMs = performance.now();
  const draw = (): void => {
    const line = progressLine(read(), (performance.now() - startedMs) / 1000);
    stream.write(columns === null ? `${line}\n` : `\r\x1b[2K${line.slice(0, columns - 1)}`);
  };
  const timer = setInterval(draw, columns === null ? PLAIN_INTERVAL_MS : TTY_INTERVAL_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      if (columns === null) return;
      draw();
      stream.write("\n");
    },
  };
}

export function progressLine(
  { share, sent, word = "sent", tail }: ProgressState,
  seconds: number,
): string {
  const rate = seconds > 0 ? Math.round(sent / seconds) : 0;
  const done = `${thousands(sent)} ${word}, ${thousands(rate)}/s${tail === "" ? "" : `, ${tail}`}`;
  if (share === null) return done;
  const filled = Math.round(Math.min(1, share) * BAR_WIDTH);
  const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
  const left = share > 0.02 && share < 1 ? `, ${clock((seconds / share) * (1 - share))} left` : "";
  return `${bar} ${Math.floor(Math.min(1, share) * 100)} %  ${done}${left}`;
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
