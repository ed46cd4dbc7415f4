import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "@/lib/core/errors";

/**
 * The text of `lua/<name>.lua`. The same relative path holds beside this module and beside a bundle in dist/,
 * to which the build copies lua/.
 */
export function readScript(name: "check" | "renew"): string {
  const file = fileURLToPath(new URL(`./lua/${name}.lua`, import.meta.url));
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AppError(
      "internal",
      `the script ${file} cannot be read: copy lib/limiter/lua/ to it`,
      {
        cause,
      },
    );
  }
}
