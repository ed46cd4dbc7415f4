import { BROKEN_REASONS } from "../core/access-log";
import type { LogFormat } from "../core/access-log-format";
import type { BacktestResult } from "../core/backtest-result";
import { amountWords } from "../core/limit";
import type { LogTally } from "./log-tally";
import { counted, percent, table, thousands, visible } from "./table";

export type ReadLogs = {
  formats: readonly { file: string; format: LogFormat }[];
  log: LogTally;
  problems: readonly { file: string; why: string }[];
  /** Rules that match, count or cost by a header, which is not read from logs. */
  byHeader: readonly string[];
};

export function backtestText(result: BacktestResult, read: ReadLogs): string {
  const { requests, rejections, clients, clientsRejected, worstMinutes, topClients } = result;
  const lines = [
    `Would refuse ${percent(rejections, requests)}: ${thousands(rejections)} of ${counted(requests, "request")}; ${thousands(clientsRejected)} of ${counted(clients, "client")}.`,
  ];
  if (worstMinutes !== null)
    lines.push(
      `Worst 5 minutes: from ${new Date(worstMinutes.fromMs).toISOString()}, ${thousands(worstMinutes.rejections)} of ${counted(worstMinutes.requests, "request")}.`,
    );
  const rules = result.rules.map(({ rule, lane, mode, ...figures }) => [
    lane === "candidate" ? `${rule} (candidate)` : rule,
    mode,
    thousands(figures.requests),
    thousands(figures.rejections),
    percent(figures.rejections, figures.requests),
    thousands(figures.clientsRejected),
  ]);
  if (rules.length > 0)
    lines.push("", table(["rule", "mode", "matched", "rejections", "share", "clients hit"], rules));
  const hit = topClients
    .filter((client) => client.rejections > 0)
    .map((row) => [
      row.client,
      row.plan,
      thousands(row.requests),
      thousands(row.rejections),
      percent(row.rejections, row.requests),
    ]);
  if (hit.length > 0)
    lines.push("", table(["client", "plan", "requests", "rejections", "share"], hit));
  lines.push(...demandLines(result));
  for (const { rule, why } of result.notSimulated) lines.push("", `Not judged: ${rule}: ${why}.`);
  if (read.byHeader.length > 0)
    lines.push(
      "",
      `By a header, which logs are not read for, so they match nobody or cost their default: ${read.byHeader.join(", ")}.`,
    );
  return [...lines, "", ...logLines(result, read)].join("\n");
}

/** Of each rule and plan the most that clients ask in any interval of its limit, and a limit for that. */
function demandLines({ rules }: BacktestResult): string[] {
  const rows = rules.flatMap(({ rule, lane, demand = [] }) =>
    demand.map(({ plan, limit, peaks, estimate, proposed }) => [
      lane === "candidate" ? `${rule} (candidate)` : rule,
      plan,
      amountWords(limit),
      ...[peaks.p50, peaks.p90, peaks.p99, peaks.p999, peaks.max].map(thousands),
      thousands(estimate.clientsRejected),
      amountWords(proposed.limit),
      thousands(proposed.estimate.clientsRejected),
      percent(proposed.estimate.rejections, proposed.estimate.requests),
    ]),
  );
  if (rows.length === 0) return [];
  const head = ["rule", "plan", "limit", "p50", "p90", "p99", "p99.9", "max", "above"];
  return [
    "",
    "The most that clients ask in any interval of their limit, how many lie above it, and a limit for 99 in 100 of them",
    "with a quarter more (estimated, each rule for itself):",
    "",
    table([...head, "proposed", "above", "share"], rows),
  ];
}

function logLines({ outOfOrder, tooLate }: BacktestResult, { formats, log, problems }: ReadLogs) {
  const names = [...new Set(formats.map(({ format }) => format))];
  const lines = [
    `${counted(log.lines, "line")} read as ${names.join(", ")}: ${thousands(log.parsed)} parsed, ${thousands(log.lines - log.parsed)} broken.`,
  ];
  for (const [reason, { count, samples }] of log.broken) {
    lines.push(`  ${thousands(count)} × ${reason}: ${BROKEN_REASONS[reason]}`);
    for (const { file, line, sample } of samples)
      lines.push(
        `    line ${thousands(line)}${formats.length > 1 ? ` of ${visible(file)}` : ""}: ${visible(sample)}`,
      );
  }
  if (outOfOrder > 0)
    lines.push(
      `${counted(outOfOrder, "line")} came out of order, ${thousands(tooLate)} of them too late to be put in order: decided at the time reached.`,
    );
  if (log.lists > 0)
    lines.push(
      `${counted(log.lists, "line")} listed several addresses: the first was taken as the client.`,
    );
  if (log.parsed === 0) lines.push("There is no request to judge.");
  for (const { file, why } of problems)
    lines.push(`${visible(file)} could not be read to its end: ${visible(why)}.`);
  return lines;
}
