import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import { LINE_LENGTH_MAX } from "../core/access-log";
import { AppError } from "../core/errors";

export type LineSource = {
  lines: AsyncIterable<string>;
  /** Bytes of the file read so far, and in all; null when that is not known (standard input). */
  progress(): { read: number; size: number } | null;
  /** Why `lines` ended before their end, such as a cut `.gz`; what came before it is not lost. */
  problem(): string | null;
};

/** A file, a `.gz` of one, or `-` for standard input; line by line, so its size does not matter. */
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
  const raw = createReadStream(file);
  const isZipped = file.endsWith(".gz");
  const unzip = createGunzip();
  if (isZipped) raw.once("error", (error) => unzip.destroy(error));
  const lines = linesOf(isZipped ? raw.pipe(unzip) : raw);
  return { ...lines, progress: () => ({ read: raw.bytesRead, size: found.size }) };
}

function linesOf(stream: Readable): Pick<LineSource, "lines" | "problem"> {
  let problem: string | null = null;
  async function* untilItBreaks() {
    try {
      yield* splitLines(stream);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  return { lines: untilItBreaks(), problem: () => problem };
}

/** A line beyond the bound is cut a little above it, so that it is still told as too long. */
async function* splitLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isOverflowing = false;
  for await (const chunk of stream) {
    const pieces = (rest + decoder.write(chunk as Buffer)).split("\n");
    rest = pieces.pop() ?? "";
    for (const piece of pieces) {
      if (isOverflowing) isOverflowing = false;
      else yield piece;
    }
    if (rest.length > LINE_LENGTH_MAX) {
      if (!isOverflowing) yield rest;
      isOverflowing = true;
      rest = "";
    }
  }
  rest += decoder.end();
  if (rest !== "" && !isOverflowing) yield rest;
}
