import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError } from "../core/errors";
import { splitLines } from "../core/split-lines";

const CHUNK_BYTES = 262_144;
const GZIP_MARK = [0x1f, 0x8b];

export type LineSource = {
  /** The lines, as many at a time as a piece of the file holds. */
  batches: AsyncIterable<string[]>;
  /** Bytes of the file read so far, and in all; null when that is not known (standard input). */
  progress(): { read: number; size: number } | null;
  /** Why `batches` ended before their end, such as a cut `.gz`; what came before it is not lost. */
  problem(): string | null;
};

/** A file, or `-` for standard input, zipped with gzip or not; bit by bit, so its size does not matter. */
export async function openLines(file: string, stdin: Readable): Promise<LineSource> {
  if (file === "-") return { ...linesOf(stdin), progress: () => null };
  const found = await stat(file).catch((cause: unknown) => {
    const why =
      cause instanceof Error && "code" in cause && cause.code === "ENOENT"
        ? "there is no such file"
        : String(cause);
    throw new AppError("invalid", `cannot read ${file}: ${why}`, { cause });
  });
  if (found.isDirectory()) throw new AppError("invalid", `${file} is a folder, not a log`);
  const raw = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  return { ...linesOf(raw), progress: () => ({ read: raw.bytesRead, size: found.size }) };
}

function linesOf(stream: Readable): Pick<LineSource, "batches" | "problem"> {
  let problem: string | null = null;
  async function* untilItBreaks() {
    try {
      yield* splitLines(unzipped(stream));
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  return { batches: untilItBreaks(), problem: () => problem };
}

/** By its first bytes, not its name: a log that was renamed, or piped, is still zipped. */
async function* unzipped(stream: Readable): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer | string> = stream[Symbol.asyncIterator]();
  const first = await chunks.next();
  const head = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value);
  async function* all(): AsyncGenerator<Buffer> {
    yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      yield typeof next.value === "string" ? Buffer.from(next.value) : next.value;
  }
  if (!GZIP_MARK.every((byte, i) => head[i] === byte)) return yield* all();
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const feeding = pipeline(all(), unzip);
  // Its failure is unzip's own, which the loop below throws.
  feeding.catch(() => undefined);
  yield* unzip;
}
