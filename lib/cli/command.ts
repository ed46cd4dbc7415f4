import type { Readable, Writable } from "node:stream";
import type { ParseArgsConfig } from "node:util";
import type { Environment } from "../config/read";

export type Options = NonNullable<ParseArgsConfig["options"]>;
export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** What a command may touch of the world. */
export type Io = {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  env: Environment;
  /** Columns of the terminal behind stderr; null when it is no terminal. */
  columns: number | null;
  signal: AbortSignal;
  /** Runs a program beside this one, with the same streams and environment; gives its exit code. */
  program(name: string, args: readonly string[]): Promise<number>;
};

export type Command = {
  /** One or two words: `replay`, `keys create`. */
  name: string;
  usage: string;
  summary: string;
  /** Shown under the usage; option lines included. */
  help: string;
  options: Options;
  /** Gives the exit code. */
  run(input: { values: Values; positionals: string[]; io: Io }): Promise<number>;
};

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** The command line is wrong: the message says what was given and what is allowed. */
export class UsageError extends Error {}

export function print(stream: Writable, text: string): void {
  stream.write(`${text}\n`);
}
