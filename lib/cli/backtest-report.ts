import { BROKEN_REASONS } from "../core/access-log";
import type { BacktestResult } from "../core/backtest-result";
import type { LogTally } from "./read-log";
import { counted, percent, table, thousands, visible } from "./table";

export type ReadLog = { file: string; log: LogTally; problem: string | null };

export function backtestText(result: BacktestResult, { file, log, problem }: ReadLog): string {
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
  for (const { rule, why } of result.notSimulated) lines.push("", `Not judged: ${rule}: ${why}.`);
  lines.push(
    "",
    `${counted(log.lines, "line")}: ${thousands(log.parsed)} parsed, ${thousands(log.lines - log.parsed)} broken.`,
  );
  for (const [reason, { count, line, sample }] of log.broken)
    lines.push(
      `  ${thousands(count)} × ${reason}: ${BROKEN_REASONS[reason]}; first in line ${thousands(line)}: ${visible(sample)}`,
    );
  if (log.outOfOrder > 0)
    lines.push(
      `${counted(log.outOfOrder, "line")} came out of order, ${thousands(log.tooLate)} of them too late to be put in order: decided at the time reached.`,
    );
  if (problem !== null)
    lines.push(`${visible(file)} could not be read to its end: ${visible(problem)}.`);
  return lines.join("\n");
}
