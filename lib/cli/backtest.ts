import { readFile } from "node:fs/promises";
import { type AccessLogEntry, BROKEN_REASONS } from "../core/access-log";
import { createBacktest } from "../core/backtest";
import type { BacktestResult } from "../core/backtest-result";
import { compileRuleset } from "../core/compile-ruleset";
import { csvLine } from "../core/csv";
import { INITIAL_CONTENT } from "../core/demo-ruleset";
import { AppError } from "../core/errors";
import { fieldErrors } from "../core/parse";
import { ANONYMOUS_PLAN } from "../core/plan";
import { BodySchema } from "../core/ruleset";
import type { RulesetIndex } from "../core/ruleset-index";
import { readRuleset } from "../core/ruleset-yaml";
import { numberOption, textOption } from "./arguments";
import { backtestText, type ReadLog } from "./backtest-report";
import { type Command, EXIT, type Io, print, UsageError } from "./command";
import { openLines } from "./read-lines";
import { emptyTally, readLog } from "./read-log";
import { thousands } from "./table";

const PROGRESS_LINES = 100_000;

export const backtestCommand: Command = {
  name: "backtest",
  usage: "backtest LOG --rules FILE [--speed N] [--json | --csv]",
  summary: "Say what a ruleset would have refused of an access log, without a server.",
  help: `LOG is a log in combined or common format, a .gz of one, or - for standard input. Each line's address is
its client, on plan anonymous. Broken lines are counted and shown.

  --rules FILE  the ruleset as pull writes it
  --speed N     decide as if the log ran N times faster, as replay --speed N sends it (1)
  --json        print one JSON object
  --csv         print a line for each rule

Exit code 1 when LOG could not be read to its end, holds no request, or the rules are wrong.`,
  options: {
    rules: { type: "string" },
    speed: { type: "string" },
    json: { type: "boolean" },
    csv: { type: "boolean" },
  },
  async run({ values, positionals, io }) {
    const [file, ...more] = positionals;
    if (file === undefined)
      throw new UsageError("LOG is missing: an access log, or - for standard input");
    if (more.length > 0) throw new UsageError(`takes one LOG, got also ${JSON.stringify(more[0])}`);
    const rules = textOption(values, "rules");
    if (rules === undefined)
      throw new UsageError("--rules is missing: a ruleset as pull writes it");
    if (values.json === true && values.csv === true)
      throw new UsageError("takes --json or --csv, got both");
    const speed = numberOption(values, "speed", { min: 0.001, max: 1_000_000 }) ?? 1;
    const index = await readRules(rules);
    const { result, read } = await runLog({ file, index, speed, io });
    if (values.json === true) print(io.stdout, JSON.stringify(jsonOf(result, read)));
    else if (values.csv === true) io.stdout.write(csvOf(result));
    else print(io.stdout, backtestText(result, read));
    const isWhole = read.problem === null && !io.signal.aborted && result.requests > 0;
    return isWhole ? EXIT.done : EXIT.failed;
  },
};

async function readRules(file: string): Promise<RulesetIndex> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("invalid", `${file} cannot be read: ${why}`, { cause });
  });
  const {
    settings = {},
    lists = {},
    routes = [],
    plans,
    rules = [],
    candidates = {},
  } = readRuleset(text);
  const byId = new Map(Object.entries(candidates));
  let slot = 0;
  const entryOf = (rule: unknown) => {
    slot += 1;
    return { revision: 1, slot, rule };
  };
  const ids = new Set<unknown>();
  const entries: object[] = rules.map((rule) => {
    const id = typeof rule === "object" && rule !== null && "id" in rule ? rule.id : undefined;
    ids.add(id);
    const candidate = Object(typeof id === "string" ? byId.get(id) : undefined);
    return {
      id,
      live: entryOf(rule),
      ...("rule" in candidate && { candidate: entryOf(candidate.rule), share: candidate.share }),
    };
  });
  for (const [id, candidate] of byId)
    if (!ids.has(id)) {
      const { rule, share } = Object(candidate);
      entries.push({ id, candidate: entryOf(rule), share });
    }
  const read = BodySchema.safeParse({
    settings,
    lists,
    routes,
    plans:
      plans === undefined
        ? INITIAL_CONTENT.plans
        : Object.entries(plans).map(([id, plan]) => ({ id, ...Object(plan) })),
    rules: entries,
  });
  if (read.success) return compileRuleset(read.data, { epoch: 1, version: 1, hash: "backtest" });
  const errors = fieldErrors(read.error);
  const [first] = errors;
  throw new AppError("invalid", `${file}: ${first?.path}: ${first?.message}`, { errors });
}

async function runLog({
  file,
  index,
  speed,
  io,
}: {
  file: string;
  index: RulesetIndex;
  speed: number;
  io: Io;
}) {
  const source = await openLines(file, io.stdin);
  const log = emptyTally();
  const backtest = createBacktest(index, { windowRequests: 0 });
  const startedMs = performance.now();
  let firstMs: number | null = null;
  let told = 0;
  for await (const entry of readLog(source.lines, log)) {
    if (io.signal.aborted) break;
    firstMs ??= entry.atMs;
    // The first request keeps its time, so that windows of the calendar begin where the log does.
    backtest.push([requestOf(entry, firstMs + (entry.atMs - firstMs) / speed)]);
    if (log.lines - told < PROGRESS_LINES) continue;
    told = log.lines;
    const progress = source.progress();
    const share =
      progress === null ? "" : `, ${Math.floor((100 * progress.read) / progress.size)} %`;
    const rate = Math.round((1000 * log.lines) / (performance.now() - startedMs));
    print(io.stderr, `${thousands(log.lines)} lines${share}, ${thousands(rate)}/s`);
  }
  const read: ReadLog = { file, log, problem: source.problem() };
  return { result: backtest.result(), read };
}

function requestOf({ client, method, target }: AccessLogEntry, atMs: number) {
  const id = `ip:${client}` as const;
  return { atMs, client: id, ip: client, plan: ANONYMOUS_PLAN, method, path: target };
}

function jsonOf(result: BacktestResult, { file, log, problem }: ReadLog): object {
  const broken = [...log.broken].map(([reason, found]) => ({
    reason,
    meaning: BROKEN_REASONS[reason],
    ...found,
  }));
  const { lines, parsed, outOfOrder, tooLate, lists: addressLists } = log;
  return {
    file,
    lines,
    parsed,
    broken,
    addressLists,
    readProblem: problem,
    ...result,
    outOfOrder,
    tooLate,
  };
}

function csvOf({ rules }: BacktestResult): string {
  return [
    csvLine(["rule", "lane", "mode", "requests", "rejections", "clients", "clientsRejected"]),
    ...rules.map(({ rule, lane, mode, requests, rejections, clients, clientsRejected }) =>
      csvLine([rule, lane, mode, requests, rejections, clients, clientsRejected]),
    ),
  ].join("");
}
