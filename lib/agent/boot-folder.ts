import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { GatewayIdSchema } from "@/lib/core/heartbeat";
import { parseInput } from "@/lib/core/parse";

/** What a gateway keeps between starts, so that it limits although Redis and the console are down. */
export type BootFolder = {
  /** Null when it was never written. */
  read(name: BootFile): Promise<Buffer | null>;
  /** The same in pieces. */
  stream(name: BootFile): Promise<AsyncIterable<Buffer> | null>;
  /** Whole or not at all, and on disk before it resolves. */
  write(name: BootFile, bytes: Uint8Array | string | Iterable<Uint8Array>): Promise<void>;
  append(name: BootFile, text: string): Promise<void>;
};

export type BootFile = "snapshot" | "directory" | "fleet";

const PIECE_BYTES = 64 * 1024;

/** `<dataDir>/gateways/<id>/`; throws `invalid` for an id that could leave that folder. */
export function bootFolder({
  dataDir,
  gatewayId,
}: {
  dataDir: string;
  gatewayId: string;
}): BootFolder {
  const folder = join(dataDir, "gateways", parseInput(GatewayIdSchema, gatewayId, "gateway id"));
  return {
    read: (name) => unlessAbsent(readFile(join(folder, name))),
    stream: async (name) => {
      const file = join(folder, name);
      const isThere = (await unlessAbsent(stat(file))) !== null;
      return isThere ? createReadStream(file, { highWaterMark: PIECE_BYTES }) : null;
    },
    write: async (name, bytes) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, name);
      const fresh = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
      try {
        await writeSynced(fresh, bytes);
        await rename(fresh, file);
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
      await syncFolder(folder);
    },
    append: (name, text) => appendFile(join(folder, name), text, { mode: 0o600 }),
  };
}

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

async function writeSynced(
  file: string,
  bytes: Uint8Array | string | Iterable<Uint8Array>,
): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    if (typeof bytes === "string" || bytes instanceof Uint8Array) await handle.writeFile(bytes);
    else for (const piece of bytes) await handle.appendFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Without it a power cut may forget the rename. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
