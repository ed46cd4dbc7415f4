import { BROKEN_REASONS } from "../core/access-log";
import { LOG_FORMATS, type LogFormat } from "../core/access-log-format";
import { LOG_FIELDS, type LogField, type LogMapping } from "../core/access-log-json";
import { createBacktest } from "../core/backtest";
import type { PlanDemand } from "../core/backtest-proposal";
import type { BacktestResult } from "../core/backtest-result";
import { createSenders, type KnownSender } from "../core/backtest-senders";
import { csvLine } from "../core/csv";
import { amountWords } from "../core/limit";
import type { CompiledRule, RulesetIndex } from "../core/ruleset-index";
import { listOption, numberOption, textOption } from "./arguments";
import { backtestText, type ReadLogs } from "./backtest-report";
import { type Command, EXIT, type Io, print, UsageError, type Values } from "./command";
import { emptyTally } from "./log-tally";
import { openLogs } from "./merge-logs";
import { createProgress } from "./progress";
import { readPlans } from "./read-plans";
import { readRules } from "./read-rules";

export const backtestCommand: Command = {
  name: "backtest",
  usage: "backtest LOG... --rules FILE [--plans FILE] [--speed N] [--json | --csv]",
  summary: "Say what a ruleset would have refused of access logs, without a server.",
  help: `LOG is an access log: combined or common, JSON (nginx, Caddy, others), or of an AWS load balancer; zipped
with gzip or not; - for standard input. Several are read as one, in the order of their times. Each
line's address is its client, on plan anonymous. Broken lines are counted and shown.

  --rules FILE   the ruleset as pull writes it
  --plans FILE   a CSV of client, plan and customer: who holds a key of which plan. A client is an
                 address, a network, the beginning of a key, or a user that the log names
  --speed N      decide as if the log ran N times faster, as replay --speed N sends it (1)
  --format NAME  ${Object.keys(LOG_FORMATS).join(", ")}; without it as each log's first lines look
  --fields LIST  of JSON lines, what is where: time=at,client=peer.ip (${Object.keys(LOG_FIELDS).join(", ")})
  --top N        how many clients to list with each figure, 1..100000 (20)
  --json         print one JSON object
  --csv          print a line for each rule and plan

Exit code 1 when a LOG could not be read to its end, none holds a request, or a file is wrong.`,
  options: {
    rules: { type: "string" },
    plans: { type: "string" },
    speed: { type: "string" },
    format: { type: "string" },
    fields: { type: "string", multiple: true },
    top: { type: "string" },
    json: { type: "boolean" },
    csv: { type: "boolean" },
  },
  async run({ values, positionals, io }) {
    const plan = planOf(values, positionals);
    const index = await readRules(plan.rules);
    const known = plan.plans === undefined ? [] : await readPlans(plan.plans, index.plans);
    const { result, read } = await runLogs({ ...plan, index, known, io });
    if (plan.output === "json") print(io.stdout, JSON.stringify(jsonOf(result, read)));
    else if (plan.output === "csv") io.stdout.write(csvOf(result));
    else print(io.stdout, backtestText(result, read));
    const isWhole = read.problems.length === 0 && !io.signal.aborted && result.requests > 0;
    return isWhole ? EXIT.done : EXIT.failed;
  },
};

type Plan = {
  files: readonly string[];
  rules: string;
  plans: string | undefined;
  speed: number;
  format: LogFormat | undefined;
  mapping: LogMapping;
  topClients: number;
  output: "text" | "json" | "csv";
};

function planOf(values: Values, files: string[]): Plan {
  if (files.length === 0)
    throw new UsageError("LOG is missing: an access log, or - for standard input");
  const twice = files.find((file, i) => files.indexOf(file) !== i);
  if (twice !== undefined)
    throw new UsageError(`takes each LOG once, got ${JSON.stringify(twice)} twice`);
  const rules = textOption(values, "rules");
  if (rules === undefined) throw new UsageError("--rules is missing: a ruleset as pull writes it");
  if (values.json === true && values.csv === true)
    throw new UsageError("takes --json or --csv, got both");
  const format = textOption(values, "format");
  if (format !== undefined && !isFormat(format))
    throw new UsageError(
      `--format must be one of ${Object.keys(LOG_FORMATS).join(", ")}, got ${JSON.stringify(format)}`,
    );
  return {
    files,
    rules,
    plans: textOption(values, "plans"),
    speed: numberOption(values, "speed", { min: 0.001, max: 1_000_000 }) ?? 1,
    format,
    mapping: Object.fromEntries(listOption(values, "fields").map(fieldOf)),
    topClients: numberOption(values, "top", { min: 1, max: 100_000, isWhole: true }) ?? 20,
    output: values.json === true ? "json" : values.csv === true ? "csv" : "text",
  };
}

function isFormat(name: string): name is LogFormat {
  return Object.hasOwn(LOG_FORMATS, name);
}

function fieldOf(text: string): [LogField, string] {
  const equals = text.indexOf("=");
  const field = text.slice(0, equals);
  const name = text.slice(equals + 1);
  if (equals > 0 && name !== "" && isField(field)) return [field, name];
  throw new UsageError(
    `--fields must be such as time=at,client=peer.ip, of ${Object.keys(LOG_FIELDS).join(", ")}, got ${JSON.stringify(text)}`,
  );
}

function isField(name: string): name is LogField {
  return Object.hasOwn(LOG_FIELDS, name);
}

async function runLogs({
  files,
  index,
  known,
  speed,
  format,
  mapping,
  topClients,
  io,
}: Plan & { index: RulesetIndex; known: readonly KnownSender[]; io: Io }) {
  const tally = emptyTally();
  const logs = await openLogs({
    files,
    stdin: io.stdin,
    tally,
    format,
    mapping,
    signal: io.signal,
  });
  const backtest = createBacktest(index, { speed, topClients, demand: true });
  const senderOf = createSenders(known);
  const progress = createProgress(io.stderr, io.columns, () => {
    const done = logs.progress();
    return {
      share: done === null || done.size === 0 ? null : done.read / done.size,
      sent: tally.lines,
      word: "lines",
      tail: "",
    };
  });
  try {
    await logs.readAll((entry) => {
      const { client, ip, plan, customer } = senderOf(entry);
      const { atMs, method, target: path } = entry;
      backtest.add({ atMs, client, ip, plan, customer, method, path });
    });
  } finally {
    progress.stop();
  }
  const result = backtest.result();
  const byHeader = index.rules.filter(asksHeaders).map(({ id }) => id);
  const read: ReadLogs = {
    formats: logs.formats,
    log: tally,
    problems: logs.problems(),
    byHeader: [...new Set(byHeader)],
  };
  return { result, read };
}

function asksHeaders({ rule }: CompiledRule): boolean {
  const { match, countBy, cost } = rule;
  return (
    Object.keys(match.headers ?? {}).length > 0 ||
    countBy.some((part) => part.startsWith("header:")) ||
    (typeof cost === "object" && "header" in cost)
  );
}

function jsonOf(result: BacktestResult, { formats, log, problems, byHeader }: ReadLogs): object {
  const broken = [...log.broken].map(([reason, { count, samples }]) => ({
    reason,
    meaning: BROKEN_REASONS[reason],
    count,
    samples,
  }));
  return {
    logs: formats,
    lines: log.lines,
    parsed: log.parsed,
    broken,
    addressLists: log.lists,
    readProblems: problems,
    byHeader,
    ...result,
  };
}

function csvOf({ rules }: BacktestResult): string {
  const head = [
    "rule",
    "lane",
    "mode",
    "plan",
    "requests",
    "rejections",
    "clients",
    "clientsRejected",
  ];
  const asked = ["limit", "windowSeconds", "peakP50", "peakP90", "peakP99", "peakP999", "peakMax"];
  const proposal = [
    "neededP99",
    "neededMax",
    "proposed",
    "proposedRejections",
    "proposedClientsRejected",
  ];
  const rows = rules.flatMap(({ rule, lane, mode, byPlan, demand = [] }) =>
    byPlan.map((row) => [
      ...[rule, lane, mode, row.plan],
      ...[row.requests, row.rejections, row.clients, row.clientsRejected],
      ...demandCells(demand.find(({ plan }) => plan === row.plan)),
    ]),
  );
  return [[...head, ...asked, ...proposal], ...rows].map(csvLine).join("");
}

function demandCells(demand: PlanDemand | undefined): (string | number | null)[] {
  if (demand === undefined) return new Array(12).fill(null);
  const { limit, windowSeconds, peaks, needed, proposed } = demand;
  return [
    amountWords(limit),
    windowSeconds,
    ...[peaks.p50, peaks.p90, peaks.p99, peaks.p999, peaks.max],
    ...[needed.p99, needed.max],
    amountWords(proposed.limit),
    ...[proposed.estimate.rejections, proposed.estimate.clientsRejected],
  ];
}
