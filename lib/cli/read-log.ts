import { type AccessLogEntry, type BrokenReason, parseAccessLogLine } from "../core/access-log";
import { TimeOrder } from "../core/time-order";

/** Lines held back to bring their times in order: about 30 MB. */
export const ORDER_WINDOW = 50_000;

export type LogTally = {
  lines: number;
  parsed: number;
  /** Per class: how many, and the first line's number and text. */
  broken: Map<BrokenReason, { count: number; line: number; sample: string }>;
  /** Parsed lines that came after a later one, and those of them that came too late to be put in order. */
  outOfOrder: number;
  tooLate: number;
  /** Lines whose host field listed several addresses; the first was taken. */
  lists: number;
  /** All lines were read, so `parsed` is final. */
  isComplete: boolean;
};

/** The log's requests in the order of their times. `tally` grows along; parsed + broken = lines. */
export async function* readLog(
  lines: AsyncIterable<string>,
  tally: LogTally,
  window = ORDER_WINDOW,
): AsyncGenerator<AccessLogEntry> {
  const order = new TimeOrder<AccessLogEntry>();
  let newestMs = Number.NEGATIVE_INFINITY;
  let sentMs = Number.NEGATIVE_INFINITY;
  for await (const text of lines) {
    tally.lines += 1;
    const line = parseAccessLogLine(text);
    if ("broken" in line) {
      countBroken(tally, line.broken, text);
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
  tally.isComplete = true;
  for (let entry = order.take(); entry !== undefined; entry = order.take()) yield entry;
}

export function emptyTally(): LogTally {
  return {
    lines: 0,
    parsed: 0,
    broken: new Map(),
    outOfOrder: 0,
    tooLate: 0,
    lists: 0,
    isComplete: false,
  };
}

function countBroken(tally: LogTally, reason: BrokenReason, text: string): void {
  const known = tally.broken.get(reason);
  if (known !== undefined) known.count += 1;
  else tally.broken.set(reason, { count: 1, line: tally.lines, sample: text.slice(0, 200) });
}
