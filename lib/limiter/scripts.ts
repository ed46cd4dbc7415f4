import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "@/lib/core/errors";

const INCLUDE = /^[ \t]*-- include ([a-z]+)$/gm;

/**
 * The text of `lua/<name>.lua`, with what it includes in place. The same relative path holds beside this module and
 * beside a bundle in dist/, to which the build copies lua/.
 */
export function readScript(name: "check" | "renew"): string {
  return read(name).replace(INCLUDE, (_, part: string) => read(part));
}

function read(name: string): string {
  const file = fileURLToPath(new URL(`./lua/${name}.lua`, import.meta.url));
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AppError(
      "internal",
      `the script ${file} cannot be read: copy lib/limiter/lua/ to it`,
      { cause },
    );
  }
}
