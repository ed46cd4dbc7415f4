import { BROKEN_REASONS } from "../core/access-log";
import type { MetricsChange } from "./admin-metrics";
import type { LogTally } from "./log-tally";
import { counted, percent, table, thousands, visible } from "./table";

export type SentTally = {
  sent: number;
  allowed: number;
  rejected: number;
  failed: number;
  /** By what went wrong, such as ECONNREFUSED. */
  failures: Map<string, number>;
  clients: Set<string>;
};

export type ReplayResult = {
  file: string;
  gateways: readonly URL[];
  seconds: number;
  log: LogTally;
  sent: SentTally;
  shortened: number;
  metrics: MetricsChange;
  /** Why the file was not read to its end. */
  readProblem: string | null;
  isInterrupted: boolean;
};

/** One JSON object; `wouldBe` and `rules` are null where a gateway's counters could not be read. */
export function replayJson(result: ReplayResult): object {
  const { file, gateways, seconds, log, sent, metrics } = result;
  return {
    file,
    gateways: gateways.map(({ origin }) => origin),
    seconds: Number(seconds.toFixed(3)),
    lines: log.lines,
    parsed: log.parsed,
    broken: brokenOf(log),
    outOfOrder: log.outOfOrder,
    tooLate: log.tooLate,
    addressLists: log.lists,
    silencesShortened: result.shortened,
    clients: sent.clients.size,
    sent: sent.sent,
    allowed: sent.allowed,
    rejected: sent.rejected,
    failed: sent.failed,
    failures: Object.fromEntries(sent.failures),
    wouldBe: metrics.isWhole ? wouldBeOf(metrics) : null,
    rules: metrics.isWhole ? metrics.rules : null,
    otherRequests: metrics.isWhole ? othersOf(result) : null,
    metricsProblems: metrics.problems,
    readProblem: result.readProblem,
    interrupted: result.isInterrupted,
  };
}

export function replayText(result: ReplayResult): string {
  const { sent, metrics, gateways, seconds } = result;
  const rate = seconds > 0 ? `, ${thousands(Math.round(sent.sent / seconds))}/s` : "";
  const figures = [
    ["allowed", thousands(sent.allowed), percent(sent.allowed, sent.sent)],
    ["rejected", thousands(sent.rejected), percent(sent.rejected, sent.sent)],
    ["failed", thousands(sent.failed), percent(sent.failed, sent.sent)],
    ["would-be", metrics.isWhole ? thousands(wouldBeOf(metrics)) : "unknown", ""],
  ];
  return [
    `${result.isInterrupted ? "Stopped early: " : ""}${counted(sent.sent, "request")} sent as ${counted(sent.clients.size, "client")} through ${counted(gateways.length, "gateway")} in ${seconds.toFixed(1)} s${rate}.`,
    "",
    table(["", "requests", "share"], figures),
    ...ruleLines(result),
    "",
    ...logLines(result),
  ].join("\n");
}

function ruleLines(result: ReplayResult): string[] {
  const { metrics, sent } = result;
  if (!metrics.isWhole)
    return [
      "",
      `Would-be rejections are not known: ${metrics.problems.join("; ")}. --admin URL names the admin ports.`,
    ];
  const lines =
    metrics.rules.length === 0 ? ["", "No rule rejected, or would have rejected, anything."] : [];
  if (metrics.rules.length > 0) {
    const rows = metrics.rules.map(({ rule, mode, hits }) => [rule, mode, thousands(hits)]);
    lines.push("", table(["rule", "mode", "rejections"], rows));
  }
  const others = othersOf(result);
  if (others > 0)
    lines.push(
      `The gateways counted ${counted(others, "request")} of others meanwhile: the rules' figures include theirs.`,
    );
  if (others < 0)
    lines.push(
      `The gateways counted ${counted(-others, "request")} fewer than were sent: was one of them restarted?`,
    );
  for (const [reason, count] of sent.failures)
    lines.push(`Failed: ${thousands(count)} × ${visible(reason)}`);
  return lines;
}

function logLines({ log, shortened, file, readProblem }: ReplayResult): string[] {
  const broken = brokenOf(log);
  const count = broken.reduce((total, { count }) => total + count, 0);
  const lines = [
    `${counted(log.lines, "line")}: ${thousands(log.parsed)} parsed, ${thousands(count)} broken.`,
  ];
  for (const { reason, count, meaning, line, sample } of broken)
    lines.push(
      `  ${thousands(count)} × ${reason}: ${meaning}; first in line ${thousands(line)}: ${visible(sample)}`,
    );
  if (readProblem !== null)
    lines.push(`${visible(file)} could not be read to its end: ${visible(readProblem)}.`);
  if (log.outOfOrder > 0)
    lines.push(
      `${counted(log.outOfOrder, "line")} came out of order: ${log.tooLate === 0 ? "all sent in the order of their times" : `sent in the order of their times but for ${thousands(log.tooLate)} that came too late`}.`,
    );
  if (log.lists > 0)
    lines.push(
      `${counted(log.lists, "line")} listed several addresses: the first was taken as the client.`,
    );
  if (shortened > 0) lines.push(`${counted(shortened, "long silence")} cut short (--max-gap).`);
  return lines;
}

function brokenOf(log: LogTally) {
  return [...log.broken]
    .map(([reason, { count, samples }]) => ({
      reason,
      meaning: BROKEN_REASONS[reason],
      count,
      line: samples[0]?.line ?? 0,
      sample: samples[0]?.sample ?? "",
    }))
    .sort((a, b) => b.count - a.count);
}

function wouldBeOf({ rules }: MetricsChange): number {
  return rules.reduce((sum, { mode, hits }) => (mode === "shadow" ? sum + hits : sum), 0);
}

function othersOf({ metrics, sent }: ReplayResult): number {
  return metrics.requests - (sent.sent - sent.failed);
}
