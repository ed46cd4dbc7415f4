import { crc32 } from "node:zlib";
import type { DirectoryDelta, DirectoryHead } from "@/lib/core/directory";
import { documentOf } from "@/lib/core/directory-document";
import { AppError } from "@/lib/core/errors";
import type { BootFolder } from "./boot-folder";
import { type LoadedDocument, loadDocument } from "./load-directory";

/** Deltas behind the base are read slower than it: the file is written anew once they are half its size, or this. */
const DELTA_BYTES_MIN = 4 * 1024 * 1024;

export type DirectoryFile = {
  /** Null when there is none for this environment. A line that was cut off by a crash ends the reading. */
  read(): Promise<LoadedDocument | null>;
  writeBase(head: DirectoryHead, chunks: Iterable<Uint8Array>): Promise<void>;
  /** False when the file has grown long, or may end in the middle of something: write a base. */
  append(deltas: readonly DirectoryDelta[]): Promise<boolean>;
};

/** The base's document, then a line for each delta: a change costs its own size, not the directory's. */
export function directoryFile(boot: BootFolder, environment: string): DirectoryFile {
  /** Infinite while the file is not known to be whole: what is behind a cut line would never be read. */
  let appended = Number.POSITIVE_INFINITY;
  let baseBytes = 0;

  function* counted(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
    for (const piece of pieces) {
      baseBytes += piece.length;
      yield piece;
    }
  }

  return {
    read: async () => {
      const pieces = await boot.stream("directory");
      if (pieces === null) return null;
      try {
        return await loadDocument(pieces, (head) => head.environment === environment);
      } catch (error) {
        if (error instanceof AppError) return null;
        throw error;
      }
    },
    writeBase: async (head, chunks) => {
      appended = Number.POSITIVE_INFINITY;
      baseBytes = 0;
      await boot.write("directory", counted(documentOf(head, chunks, crc32)));
      appended = 0;
    },
    append: async (deltas) => {
      const text = deltas.map((delta) => `${JSON.stringify(delta)}\n`).join("");
      const total = appended + text.length;
      if (total > Math.max(DELTA_BYTES_MIN, baseBytes / 2)) return false;
      appended = Number.POSITIVE_INFINITY;
      await boot.append("directory", text);
      appended = total;
      return true;
    },
  };
}
