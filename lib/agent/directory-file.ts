import {
  type DirectoryBase,
  DirectoryBaseSchema,
  type DirectoryDelta,
  DirectoryDeltaSchema,
} from "@/lib/core/directory";
import type { BootFolder } from "./boot-folder";

/** Deltas after the base before the file is written anew. */
const DELTAS_MAX = 5_000;

export type DirectoryFile = {
  /** Null when there is none for this environment. A line that was cut off by a crash ends the reading. */
  read(): Promise<{ base: DirectoryBase; deltas: DirectoryDelta[] } | null>;
  writeBase(base: DirectoryBase): Promise<void>;
  /** False when the file has grown long, or may end in the middle of something: write a base. */
  append(deltas: readonly DirectoryDelta[]): Promise<boolean>;
};

/** The base as one line, then a line for each delta: a change costs its own size, not the directory's. */
export function directoryFile(boot: BootFolder, environment: string): DirectoryFile {
  /** Infinite while the file is not known to be whole: what is behind a cut line would never be read. */
  let appended = Number.POSITIVE_INFINITY;
  return {
    read: async () => {
      const bytes = await boot.read("directory");
      const [first = "", ...rest] = (bytes ?? "").toString("utf8").split("\n");
      const base = DirectoryBaseSchema.safeParse(json(first));
      if (!base.success || base.data.environment !== environment) return null;
      const deltas: DirectoryDelta[] = [];
      for (const line of rest) {
        const delta = DirectoryDeltaSchema.safeParse(json(line));
        if (!delta.success) break;
        deltas.push(delta.data);
      }
      return { base: base.data, deltas };
    },
    writeBase: async (base) => {
      appended = Number.POSITIVE_INFINITY;
      await boot.write("directory", `${JSON.stringify(base)}\n`);
      appended = 0;
    },
    append: async (deltas) => {
      const total = appended + deltas.length;
      if (total > DELTAS_MAX) return false;
      appended = Number.POSITIVE_INFINITY;
      await boot.append("directory", deltas.map((delta) => `${JSON.stringify(delta)}\n`).join(""));
      appended = total;
      return true;
    },
  };
}

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
