import { parseArgs } from "node:util";
import { AppError } from "../core/errors";
import { adminResetCommand } from "./admin-reset";
import { backtestCommand } from "./backtest";
import { type Command, EXIT, type Io, print, UsageError } from "./command";
import { createKeyCommand } from "./create-key";
import { doctorCommand } from "./doctor";
import { endGuardrailCommand, setGuardrailCommand, showGuardrailCommand } from "./guardrail";
import { importKeysCommand } from "./import-keys";
import { replayCommand } from "./replay";
import { diffCommand, pullCommand, pushCommand } from "./ruleset";
import { statusCommand } from "./status";
import { resumeCommand, stopCommand } from "./stop";

const COMMANDS: readonly Command[] = [
  statusCommand,
  doctorCommand,
  pullCommand,
  pushCommand,
  diffCommand,
  stopCommand,
  resumeCommand,
  showGuardrailCommand,
  setGuardrailCommand,
  endGuardrailCommand,
  replayCommand,
  backtestCommand,
  createKeyCommand,
  importKeysCommand,
  adminResetCommand,
];

/** Runs one command line and gives the exit code; every failure is a sentence on stderr. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const command = findCommand(argv);
  if (command === undefined) return overview(argv, io);
  const rest = argv.slice(command.name.split(" ").length);
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options: { ...command.options, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    if (values.help === true) {
      print(io.stdout, `Usage: headgate ${command.usage}\n\n${command.summary}\n\n${command.help}`);
      return EXIT.done;
    }
    return await command.run({ values, positionals, io });
  } catch (error) {
    return explain(error, command, io);
  }
}

function findCommand(argv: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name.split(" ").every((word, i) => argv[i] === word));
}

function overview(argv: readonly string[], io: Io): number {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const text = [
    "Usage: headgate COMMAND [options]",
    "",
    ...lines,
    "",
    "headgate COMMAND --help tells its options. Exit code: 0 done, 1 failed, 2 wrong usage.",
    "HEADGATE_CONTROL_URL and HEADGATE_TOKEN say where the console is and who asks.",
  ].join("\n");
  const [first] = argv;
  if (first !== undefined && ["help", "--help", "-h"].includes(first)) {
    print(io.stdout, text);
    return EXIT.done;
  }
  const given = argv
    .filter((word) => !word.startsWith("-"))
    .slice(0, 2)
    .join(" ");
  if (given !== "") print(io.stderr, `headgate: there is no command ${JSON.stringify(given)}\n`);
  print(io.stderr, text);
  return EXIT.usage;
}

function explain(error: unknown, command: Command, io: Io): number {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof TypeError &&
      "code" in error &&
      String(error.code).startsWith("ERR_PARSE_ARGS"));
  if (isUsage && error instanceof Error) {
    print(
      io.stderr,
      `headgate ${command.name}: ${error.message}\nUsage: headgate ${command.usage}`,
    );
    return EXIT.usage;
  }
  if (!(error instanceof AppError)) throw error;
  print(io.stderr, `headgate ${command.name}: ${error.message}`);
  for (const { path, message } of error.errors.slice(0, 20)) {
    if (!error.message.includes(message)) print(io.stderr, `  ${path}: ${message}`);
  }
  return EXIT.failed;
}
