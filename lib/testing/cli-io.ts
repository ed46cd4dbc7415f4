import { PassThrough, Readable, Writable } from "node:stream";
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
    stdout: collect((text) => {
      printed.stdout += text;
    }),
    stderr: collect((text) => {
      printed.stderr += text;
    }),
    env,
    columns: null,
    signal,
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
