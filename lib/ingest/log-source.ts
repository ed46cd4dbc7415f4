import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { openBytes } from "@/lib/control/seal-bytes";
import { type AccessLogEntry, BROKEN_REASONS, type BrokenReason } from "@/lib/core/access-log";
import {
  createLogParser,
  DETECT_LINES,
  detectLogFormat,
  type LogFormat,
} from "@/lib/core/access-log-format";
import type { BacktestAnswerResult } from "@/lib/core/api/backtests";
import { AppError } from "@/lib/core/errors";
import { splitLines } from "@/lib/core/split-lines";
import type { WorkerCtx } from "./worker-context";

/** A small .gz may hold any number: what goes beyond is not read, and said. */
export const LOG_LINES_MAX = 20_000_000;
const SAMPLE_MAX = 200;
/** A step of the loop each; the default of 16 KiB makes thousands of them. */
const UNZIPPED_CHUNK = 262_144;

type Ctx = Pick<WorkerCtx, "db"> & { config: Pick<WorkerCtx["config"], "secrets"> };

export type LogSlice = {
  entries: AccessLogEntry[];
  /** Of the stored bytes, 0..1. */
  progress: number;
};

export type LogReading = {
  format: LogFormat | null;
  lines: NonNullable<BacktestAnswerResult["lines"]>;
  slices: AsyncGenerator<LogSlice>;
};

/** An uploaded log from its first line to its last; what cannot be read is in `lines`, which grows along. */
export async function openLog(ctx: Ctx, id: string): Promise<LogReading> {
  const log = await ctx.db.backtestLog.findUnique({ where: { id } });
  if (log === null || log.completeAt === null)
    throw new AppError("not_found", "the log was deleted before it was read");
  const reading: LogReading = {
    format: null,
    lines: { read: 0, parsed: 0, broken: [], problem: null },
    slices: slices(),
  };
  let bytes = 0;

  async function* parts(): AsyncGenerator<Buffer> {
    for (let n = 0; n < (log?.parts ?? 0); n += 1) {
      const part = await ctx.db.backtestLogPart.findUnique({
        where: { logId_n: { logId: id, n } },
      });
      if (part === null) throw new AppError("not_found", "the log was deleted while it was read");
      const opened = openBytes(ctx, part.bytes, `${id} ${n}`);
      bytes += opened.length;
      yield opened;
    }
  }

  async function* slices(): AsyncGenerator<LogSlice> {
    const size = Math.max(1, log?.size ?? 1);
    const { lines: tally } = reading;
    const parse = createReader(reading);
    try {
      for await (const lines of splitLines(await plain(parts()))) {
        yield { entries: parse(lines), progress: Math.min(1, bytes / size) };
        if (tally.read < LOG_LINES_MAX) continue;
        tally.problem = `it has more than ${LOG_LINES_MAX} lines: the rest is not judged`;
        return;
      }
    } catch (error) {
      // What came before it is judged; a database that is away is no fault of the log.
      if (!(error instanceof Error) || !("code" in error) || !isZipError(error.code)) throw error;
      tally.problem = `it is a broken .gz and ends after line ${tally.read}: ${error.message}`;
    }
    yield { entries: parse(null), progress: 1 };
  }

  return reading;
}

function isZipError(code: unknown): boolean {
  return typeof code === "string" && code.startsWith("Z_");
}

/** Unzipped where its first bytes say so, whatever it is called. */
async function plain(parts: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer>> {
  const first = await parts.next();
  const head = first.done ? Buffer.alloc(0) : first.value;
  const all = (async function* () {
    yield head;
    yield* parts;
  })();
  if (head[0] !== 0x1f || head[1] !== 0x8b) return all;
  const unzip = createGunzip({ chunkSize: UNZIPPED_CHUNK });
  const raw = Readable.from(all);
  raw.once("error", (error) => unzip.destroy(error));
  return raw.pipe(unzip);
}

/** Takes lines as they come, null at their end; what is broken it counts. The format is that of most of the first lines. */
function createReader(reading: LogReading): (lines: string[] | null) => AccessLogEntry[] {
  const { lines: tally } = reading;
  const broken = new Map<BrokenReason, (typeof tally.broken)[number]>();
  let first: string[] | null = [];
  let parse = createLogParser("combined");

  function countBroken(reason: BrokenReason, text: string): void {
    const known = broken.get(reason);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const sample = withoutSecrets(text).slice(0, SAMPLE_MAX);
    const made = { reason, meaning: BROKEN_REASONS[reason], count: 1, line: tally.read, sample };
    broken.set(reason, made);
    tally.broken.push(made);
  }

  return (lines) => {
    let ready = lines ?? [];
    if (first !== null) {
      first = [...first, ...ready];
      if (first.length < DETECT_LINES && lines !== null) return [];
      reading.format = detectLogFormat(first.slice(0, DETECT_LINES));
      parse = createLogParser(reading.format);
      ready = first;
      first = null;
    }
    const entries: AccessLogEntry[] = [];
    for (const text of ready) {
      tally.read += 1;
      const line = parse(text);
      if ("ok" in line) entries.push(line.ok);
      else countBroken(line.broken, text);
    }
    tally.parsed += entries.length;
    return entries;
  };
}

/** Queries, and whatever is long and without blanks, may be a secret: a result is kept in the clear. */
function withoutSecrets(line: string): string {
  return line
    .replace(/\?[^\s"]*/g, "?…")
    .replace(/[A-Za-z0-9_\-+/=.]{24,}/g, (word) => `${word.slice(0, 6)}…`);
}
