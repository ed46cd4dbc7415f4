import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Io } from "../cli/command";
import { run } from "../cli/run";

type Given = { env?: Record<string, string>; stdin?: string; signal?: AbortSignal };

/** Runs one command line as a program would, and gives what it printed. */
export async function runCli(
  argv: string[],
  { env = {}, stdin = "", signal = new AbortController().signal }: Given = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const printed = { stdout: "", stderr: "" };
  const io: Io = {
    stdin: stdin === "" ? new PassThrough().end() : Readable.from([Buffer.from(stdin)]),
    stdout: collect((chunk) => {
      printed.stdout += chunk;
    }),
    stderr: collect((chunk) => {
      printed.stderr += chunk;
    }),
    env,
    columns: null,
    signal,
    program: async (name, args) => {
      const file = fileURLToPath(new URL(`../../bin/${name}.ts`, import.meta.url));
      const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
        env: { NODE_ENV: "test", PATH: process.env.PATH, ...env },
      });
      child.stdin.end(stdin);
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "exit"),
      ]);
      printed.stdout += out;
      printed.stderr += err;
      return Number(code ?? 1);
    },
  };
  const code = await run(argv, io);
  return { code, ...printed };
}

function collect(add: (text: string) => void): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => {
      add(String(chunk));
      done();
    },
  });
}
