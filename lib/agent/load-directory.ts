import { setImmediate as turn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import {
  type DirectoryDelta,
  DirectoryDeltaSchema,
  type DirectoryHead,
} from "@/lib/core/directory";
import { createDocumentParser } from "@/lib/core/directory-document";
import { AppError } from "@/lib/core/errors";
import { createDirectoryIndex, type DirectoryIndex } from "./directory-index";

export type LoadedDirectory = { head: DirectoryHead; index: DirectoryIndex };
export type LoadedDocument = LoadedDirectory & {
  /** What follows the base, as far as it can be read. */
  deltas: DirectoryDelta[];
};

/** Chunk by chunk; between two of them whatever else waits gets its turn. Throws `unavailable` at a wrong line. */
export async function loadChunks(
  head: DirectoryHead,
  chunks: AsyncIterable<Uint8Array>,
): Promise<LoadedDirectory> {
  const index = createDirectoryIndex(head.expected);
  for await (const chunk of chunks) {
    index.load(chunk);
    await turn();
  }
  return { head, index };
}

/** A document in pieces, from a file or over HTTP. Throws `unavailable` unless its base is whole and `isWanted`. */
export async function loadDocument(
  pieces: AsyncIterable<Uint8Array>,
  isWanted: (head: DirectoryHead) => boolean,
): Promise<LoadedDocument> {
  let found: LoadedDirectory | null = null;
  const deltas: DirectoryDelta[] = [];
  const parser = createDocumentParser(
    {
      head: (head) => {
        if (!isWanted(head)) throw new AppError("unavailable", notWanted(head));
        found = { head, index: createDirectoryIndex(head.expected) };
      },
      chunk: (bytes) => found?.index.load(bytes),
      after: (line) => {
        const delta = DirectoryDeltaSchema.safeParse(jsonOf(line));
        if (delta.success) deltas.push(delta.data);
        return delta.success;
      },
    },
    crc32,
  );
  for await (const piece of pieces) {
    parser.push(piece);
    await turn();
  }
  if (found === null || !parser.isWhole())
    throw new AppError("unavailable", "the directory broke off before its end");
  // Assigned in a callback, which the compiler does not follow.
  return { ...(found as LoadedDirectory), deltas };
}

function notWanted({ environment, epoch, seq }: DirectoryHead): string {
  return `a directory of environment "${environment}" at ${epoch}.${seq} is not for this gateway`;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
