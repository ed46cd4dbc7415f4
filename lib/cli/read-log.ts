import type { AccessLogEntry } from "../core/access-log";
import {
  createLogParser,
  DETECT_LINES,
  detectLogFormat,
  type LogParser,
} from "../core/access-log-format";
import { TimeOrder } from "../core/time-order";
import { countBroken, type LogTally } from "./log-tally";

/** Lines held back to bring their times in order: about 30 MB. */
const ORDER_WINDOW = 50_000;

/** The log's requests in the order of their times. `tally` grows along; parsed + broken = lines. */
export async function* readLog(
  batches: AsyncIterable<string[]>,
  { file, tally, window = ORDER_WINDOW }: { file: string; tally: LogTally; window?: number },
): AsyncGenerator<AccessLogEntry> {
  const order = new TimeOrder<AccessLogEntry>();
  let parse: LogParser | undefined;
  let newestMs = Number.NEGATIVE_INFINITY;
  let sentMs = Number.NEGATIVE_INFINITY;
  for await (const lines of batches) {
    parse ??= createLogParser(detectLogFormat(lines.slice(0, DETECT_LINES)));
    for (const text of lines) {
      tally.lines += 1;
      const line = parse(text);
      if ("broken" in line) {
        countBroken(tally, line.broken, { file, line: tally.lines, sample: text });
        continue;
      }
      const entry = line.ok;
      tally.parsed += 1;
      if (entry.addresses > 1) tally.lists += 1;
      if (entry.atMs < newestMs) tally.outOfOrder += 1;
      if (entry.atMs < sentMs) tally.tooLate += 1;
      newestMs = Math.max(newestMs, entry.atMs);
      order.add(entry, entry.atMs);
      if (order.size <= window) continue;
      const first = order.take();
      if (first === undefined) continue;
      sentMs = Math.max(sentMs, first.atMs);
      yield first;
    }
  }
  tally.isComplete = true;
  for (let entry = order.take(); entry !== undefined; entry = order.take()) yield entry;
}
