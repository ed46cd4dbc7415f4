import type { Readable } from "node:stream";
import type { AccessLogEntry } from "../core/access-log";
import {
  createLogParser,
  DETECT_LINES,
  detectLogFormat,
  type LogFormat,
  type LogParser,
} from "../core/access-log-format";
import type { LogMapping } from "../core/access-log-json";
import { countBroken, type LogTally } from "./log-tally";
import { type LineSource, openLines } from "./read-lines";

export type LogReading = {
  /** What each log was read as; of one that holds nothing too. */
  formats: { file: string; format: LogFormat }[];
  progress(): { read: number; size: number } | null;
  problems(): { file: string; why: string }[];
  /** Hands over every entry, and the logs' broken lines to the tally. */
  readAll(take: (entry: AccessLogEntry) => void): Promise<void>;
};

type Options = {
  files: readonly string[];
  stdin: Readable;
  tally: LogTally;
  /** Undefined: as each log's first lines look. */
  format?: LogFormat | undefined;
  mapping?: LogMapping;
  signal: AbortSignal;
};

type Log = {
  file: string;
  source: LineSource;
  batches: AsyncIterator<string[]>;
  lines: string[];
  at: number;
  read: number;
  parse: LogParser;
  /** What is handed over next. */
  head: AccessLogEntry | null;
  /** The time of what was handed over last. */
  lastMs: number;
};

/** A single line that is far ahead of its neighbours does not hold up the log it is in. */
const LEAP_MS = 86_400_000;

/** Opens several logs and reads them as one: always on in the one that is least far in time. */
export async function openLogs(options: Options): Promise<LogReading> {
  const { files, stdin, tally, mapping = {}, signal } = options;
  const formats: LogReading["formats"] = [];
  const logs: Log[] = [];
  for (const file of files) {
    const source = await openLines(file, stdin);
    const batches = source.batches[Symbol.asyncIterator]();
    const lines = await firstLines(batches);
    const format = options.format ?? detectLogFormat(lines.slice(0, DETECT_LINES));
    formats.push({ file, format });
    logs.push({
      file,
      source,
      batches,
      lines,
      at: 0,
      read: 0,
      parse: createLogParser(format, mapping),
      head: null,
      lastMs: Number.POSITIVE_INFINITY,
    });
  }

  /** Parses on to the next entry of the lines that were read; null when they are used up. */
  function parseOn(log: Log): AccessLogEntry | null {
    while (log.at < log.lines.length) {
      const text = log.lines[log.at] ?? "";
      log.at += 1;
      log.read += 1;
      tally.lines += 1;
      const line = log.parse(text);
      if ("ok" in line) return line.ok;
      countBroken(tally, line.broken, { file: log.file, line: log.read, sample: text });
    }
    return null;
  }

  /** False when the log is at its end. */
  async function advance(log: Log): Promise<boolean> {
    for (;;) {
      log.head = parseOn(log);
      if (log.head !== null) return true;
      const next = await log.batches.next();
      if (next.done === true) return false;
      log.lines = next.value;
      log.at = 0;
    }
  }

  return {
    formats,
    progress: () => sumOf(logs.map(({ source }) => source.progress())),
    problems: () =>
      logs.flatMap(({ file, source }) => {
        const why = source.problem();
        return why === null ? [] : [{ file, why }];
      }),
    async readAll(take) {
      let open: Log[] = [];
      for (const log of logs) if (await advance(log)) open.push(log);
      while (open.length > 0 && !signal.aborted) {
        const { log, untilMs } = leastFar(open);
        do {
          const { head } = log;
          if (head === null) break;
          tally.parsed += 1;
          if (head.addresses > 1) tally.lists += 1;
          take(head);
          log.lastMs = head.atMs;
          log.head = parseOn(log);
        } while (log.head !== null && dueMs(log) <= untilMs);
        if (log.head === null && !(await advance(log))) open = open.filter((one) => one !== log);
      }
      tally.isComplete = !signal.aborted;
    },
  };
}

async function firstLines(batches: AsyncIterator<string[]>): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < DETECT_LINES) {
    const next = await batches.next();
    if (next.done === true) break;
    for (const line of next.value) lines.push(line);
  }
  return lines;
}

function dueMs({ head, lastMs }: Log): number {
  const atMs = head?.atMs ?? lastMs;
  return atMs - lastMs > LEAP_MS ? lastMs : atMs;
}

/** The log to read on in, and when the next one is due. */
function leastFar(logs: readonly Log[]): { log: Log; untilMs: number } {
  const [first, second] = [...logs].sort((a, b) => dueMs(a) - dueMs(b));
  if (first === undefined) throw new RangeError("there is no log to read");
  return { log: first, untilMs: second === undefined ? Number.POSITIVE_INFINITY : dueMs(second) };
}

function sumOf(all: readonly ({ read: number; size: number } | null)[]) {
  let read = 0;
  let size = 0;
  for (const one of all) {
    if (one === null) return null;
    read += one.read;
    size += one.size;
  }
  return { read, size };
}
