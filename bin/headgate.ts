import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { run } from "../lib/cli/run";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The second one ends the program, should the first not be enough.
  process.once(signal, () => stop.abort());
}
// A reader such as `head` may go away before all is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});
process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  columns: process.stderr.isTTY === true ? process.stderr.columns : null,
  signal: stop.signal,
  program: async (name, args) => {
    const file = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
    const child = spawn(process.execPath, [file, ...args], { stdio: "inherit" });
    const [code] = await once(child, "exit");
    return typeof code === "number" ? code : 1;
  },
});
