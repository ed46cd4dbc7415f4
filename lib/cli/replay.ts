import { durationSeconds } from "../core/duration";
import { adminOf, readChange, readMetrics, requireGateways } from "./admin-metrics";
import { listOption, numberOption, originOf, textOption } from "./arguments";
import { type Command, EXIT, type Io, print, UsageError, type Values } from "./command";
import { dispatch } from "./dispatch";
import { emptyTally, type LogTally } from "./log-tally";
import { createProgress } from "./progress";
import { type LineSource, openLines } from "./read-lines";
import { readLog } from "./read-log";
import { type ReplayResult, replayJson, replayText, type SentTally } from "./replay-report";
import { createSender, type Sent } from "./send-requests";
import { percent } from "./table";

const CONCURRENCY = 32;
const MAX_GAP = "10m";

type Plan = {
  file: string;
  gateways: URL[];
  admins: URL[];
  speed: number | null;
  concurrency: number;
  maxGapMs: number | null;
};

export const replayCommand: Command = {
  name: "replay",
  usage: "replay FILE --gateway URL[,URL...] [--speed N] [--admin URL[,URL...]] [--json]",
  summary: "Send an access log through gateways, as the clients it names.",
  help: `FILE is a log in combined or common format, in JSON (nginx, Caddy) or of an AWS load balancer, zipped with
gzip or not, or - for standard input. Each request goes
out with its method, path, user agent and referrer, without a body, as its client (X-Forwarded-For: the
gateway must trust this machine, see HEADGATE_TRUST_PROXY). Broken lines are counted and shown.

  --gateway URL      where to send; several take turns
  --speed N          N times the log's own pace; without it as fast as answers come,
                     a client's requests one after another
  --max-gap TIME     cut the log's longer silences to this (${MAX_GAP}; 0 keeps them)
  --concurrency N    requests under way at a time, 1..1024 (${CONCURRENCY})
  --admin URL        the gateways' admin ports, for would-be rejections (port + 1000)
  --json             print one JSON object

Exit code 1 when a request failed, FILE could not be read to its end, or the replay was stopped.`,
  options: {
    gateway: { type: "string", multiple: true },
    admin: { type: "string", multiple: true },
    speed: { type: "string" },
    "max-gap": { type: "string" },
    concurrency: { type: "string" },
    json: { type: "boolean" },
  },
  async run({ values, positionals, io }) {
    const result = await replay(planOf(values, positionals), io);
    print(
      io.stdout,
      values.json === true ? JSON.stringify(replayJson(result)) : replayText(result),
    );
    const { sent, isInterrupted, readProblem } = result;
    const isWhole = sent.failed === 0 && !isInterrupted && readProblem === null;
    return isWhole ? EXIT.done : EXIT.failed;
  },
};

function planOf(values: Values, positionals: string[]): Plan {
  const [file, ...more] = positionals;
  if (file === undefined)
    throw new UsageError("FILE is missing: the log to replay, or - for standard input");
  if (more.length > 0) throw new UsageError(`takes one FILE, got also ${JSON.stringify(more[0])}`);
  const gateways = listOption(values, "gateway").map((text) => originOf(text, "gateway"));
  if (gateways.length === 0)
    throw new UsageError(
      "--gateway is missing: a gateway's address, such as http://127.0.0.1:8081",
    );
  const admins = listOption(values, "admin").map((text) => originOf(text, "admin"));
  if (admins.length > 0 && admins.length !== gateways.length)
    throw new UsageError(
      `--admin must name as many as --gateway (${gateways.length}), got ${admins.length}`,
    );
  return {
    file,
    gateways,
    admins: admins.length > 0 ? admins : gateways.map(adminOf),
    speed: numberOption(values, "speed", { min: 0.001, max: 1_000_000 }) ?? null,
    concurrency:
      numberOption(values, "concurrency", { min: 1, max: 1024, isWhole: true }) ?? CONCURRENCY,
    maxGapMs: maxGapOf(textOption(values, "max-gap") ?? MAX_GAP),
  };
}

function maxGapOf(text: string): number | null {
  if (text === "0") return null;
  const seconds = durationSeconds(text);
  if (seconds !== null) return seconds * 1000;
  throw new UsageError(
    `--max-gap must be 0 or a duration such as 90s, 10m or 1h, got ${JSON.stringify(text)}`,
  );
}

async function replay(plan: Plan, io: Io): Promise<ReplayResult> {
  const source = await openLines(plan.file, io.stdin);
  await requireGateways(plan.gateways);
  const before = await readMetrics(plan.admins);
  const log = emptyTally();
  const sent: SentTally = {
    sent: 0,
    allowed: 0,
    rejected: 0,
    failed: 0,
    failures: new Map(),
    clients: new Set(),
  };
  const sender = createSender(plan.gateways, plan.concurrency);
  const progress = createProgress(io.stderr, io.columns, () => ({
    share: shareOf(sent, log, source),
    sent: sent.sent,
    tail: `${percent(sent.rejected, sent.sent)} rejected${sent.failed > 0 ? `, ${sent.failed} failed` : ""}`,
  }));
  const startedMs = performance.now();
  let shortened = 0;
  try {
    ({ shortened } = await dispatch({
      ...plan,
      entries: readLog(source.batches, { file: plan.file, tally: log }),
      signal: io.signal,
      send: async (entry) => {
        sent.clients.add(entry.client);
        tallySent(sent, await sender.send(entry));
      },
    }));
  } finally {
    progress.stop();
    sender.close();
  }
  return {
    file: plan.file,
    gateways: plan.gateways,
    seconds: (performance.now() - startedMs) / 1000,
    log,
    sent,
    shortened,
    metrics: await readChange(plan.admins, before, sent.sent - sent.failed),
    readProblem: source.problem(),
    isInterrupted: io.signal.aborted,
  };
}

function tallySent(tally: SentTally, answer: Sent): void {
  tally.sent += 1;
  tally[answer.outcome] += 1;
  if (answer.outcome !== "failed") return;
  tally.failures.set(answer.reason, (tally.failures.get(answer.reason) ?? 0) + 1);
}

/** Of the requests that the file seems to hold, judged by the part of it that was read. */
function shareOf(sent: SentTally, log: LogTally, source: LineSource): number | null {
  if (log.isComplete) return log.parsed === 0 ? 1 : sent.sent / log.parsed;
  const progress = source.progress();
  if (progress === null || progress.read === 0 || log.parsed === 0) return null;
  return (sent.sent / log.parsed) * (progress.read / progress.size);
}
