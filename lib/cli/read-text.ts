import { readFile } from "node:fs/promises";
import { AppError } from "../core/errors";

/** A file as text. Throws `invalid` with the file's name. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("invalid", `${file} cannot be read: ${why}`, { cause });
  }
}
