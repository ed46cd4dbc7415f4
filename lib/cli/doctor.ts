import { loadCliConfig } from "../config/config";
import { PERMISSION_WORDS, type Permission } from "../core/access";
import { type DiagnosisLine, DiagnosisSchema, fail, ok, warn } from "../core/api/diagnosis";
import { HealthSchema } from "../core/api/health";
import { AppError } from "../core/errors";
import { createApiClient } from "./api-client";
import { type Command, EXIT, type Io, print, UsageError } from "./command";

const TOKEN_TODO =
  "Set HEADGATE_TOKEN to an API token of scope read, made on the console's page Keys, API tokens.";

export const doctorCommand: Command = {
  name: "doctor",
  usage: "doctor [--json] [--direct]",
  summary: "Looks at console, servers, workers and gateways: what is not well, and what to do.",
  help: `  --json    print one JSON object
  --direct  look without the console, from here: needs DATABASE_URL and the REDIS_… variables

Each line is ok, warn or fail. Nothing is changed. The console looks at its own servers; where it does not answer
and DATABASE_URL is set, they are looked at from here.

Exit code 1 when a line is fail.`,
  options: { json: { type: "boolean" }, direct: { type: "boolean" } },
  async run({ values, positionals, io }) {
    if (positionals.length > 0) throw new UsageError(`takes no ${JSON.stringify(positionals[0])}`);
    const isJson = values.json === true;
    if (values.direct === true) return io.program("diagnose", isJson ? ["--json"] : []);
    const lines = await look(io);
    if (isJson) print(io.stdout, JSON.stringify({ lines }));
    else printDiagnosis(io, lines);
    const isConsoleAway = lines.some(({ check, level }) => check === "console" && level === "fail");
    if (isConsoleAway && !isJson && io.env.DATABASE_URL) await io.program("diagnose", []);
    return exitOf(lines);
  },
};

export function exitOf(lines: readonly DiagnosisLine[]): number {
  return lines.some(({ level }) => level === "fail") ? EXIT.failed : EXIT.done;
}

export function printDiagnosis(io: Pick<Io, "stdout">, lines: readonly DiagnosisLine[]): void {
  for (const { check, level, says, todo } of lines) {
    print(io.stdout, `${level.padEnd(4)}  ${check.padEnd(10)}  ${says}`);
    if (todo !== null) print(io.stdout, `${" ".repeat(18)}→ ${todo}`);
  }
}

async function look(io: Io): Promise<DiagnosisLine[]> {
  const lines: DiagnosisLine[] = [];
  const tried = await caught(async () => loadCliConfig(io.env));
  if ("error" in tried)
    return [fail("config", tried.error.message, "Mend the variable and ask again.")];
  const config = tried.value;
  lines.push(ok("config", `HEADGATE_CONTROL_URL is ${config.controlUrl}`));
  const call = createApiClient(config, io.signal);
  const health = await caught(() => call({ path: "/health", answer: HealthSchema, accept: [503] }));
  if ("error" in health)
    return [
      ...lines,
      fail("console", health.error.message, "Start the console, or mend HEADGATE_CONTROL_URL."),
    ];
  const { version } = health.value;
  lines.push(
    version === null
      ? fail("console", `${config.controlUrl} answers, but has no version yet`, "See its log.")
      : ok("console", `${config.controlUrl} answers, version ${version} is live`),
  );
  if (config.token === undefined)
    return [...lines, fail("token", "none is given, so the rest cannot be asked", TOKEN_TODO)];
  const found = await caught(() => call({ path: "/diagnosis", answer: DiagnosisSchema }));
  if ("error" in found) return [...lines, fail("token", found.error.message, TOKEN_TODO)];
  return [...lines, tokenLine(found.value.caller), ...found.value.lines];
}

function tokenLine({ name, may }: { name: string; may: readonly string[] }): DiagnosisLine {
  const words = may.map((permission) => PERMISSION_WORDS[permission as Permission] ?? permission);
  const says = `"${name}" may ${words.join(", ")}`;
  if (may.includes("people"))
    return warn("token", `${says}: everything`, "For a pipeline make one that may do less.");
  return ok("token", says);
}

async function caught<T>(act: () => Promise<T>): Promise<{ value: T } | { error: AppError }> {
  try {
    return { value: await act() };
  } catch (error) {
    if (error instanceof AppError) return { error };
    throw error;
  }
}
