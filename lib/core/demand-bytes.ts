import type { Demand } from "./backtest-demand";
import { createByteReader, createByteWriter } from "./byte-columns";
import { AppError } from "./errors";

const FORMAT = 1;

/** A rule's demand for a browser, which need not know who the clients are: they become `0`, `1`, … */
export function encodeDemand(demand: Demand): Uint8Array {
  const { startMs, tickMs, clients, plans, starts, tick, requests, tokens } = demand;
  const out = createByteWriter();
  const clientIndex = indexes(clients);
  const planIndex = indexes(plans);
  out.varint(FORMAT);
  out.text(JSON.stringify({ startMs, tickMs }));
  out.varint(planIndex.size);
  for (const plan of planIndex.keys()) out.text(plan);
  out.varint(clients.length);
  for (const client of clients) out.varint(clientIndex.get(client) ?? 0);
  for (const plan of plans) out.varint(planIndex.get(plan) ?? 0);
  for (let of = 0; of < clients.length; of += 1)
    out.varint((starts[of + 1] ?? 0) - (starts[of] ?? 0));
  for (let of = 0; of < clients.length; of += 1) {
    let last = 0;
    for (let i = starts[of] ?? 0; i < (starts[of + 1] ?? 0); i += 1) {
      out.varint((tick[i] ?? 0) - last);
      last = tick[i] ?? 0;
    }
  }
  for (const value of requests) out.varint(value);
  for (const [i, value] of tokens.entries())
    out.varint(Math.max(0, Math.round(value) - (requests[i] ?? 0)));
  return out.bytes();
}

/** What encodeDemand wrote. Throws `invalid` for any other bytes. */
export function decodeDemand(bytes: Uint8Array): Demand {
  const reader = createByteReader(bytes, wrong);
  const format = reader.varint();
  if (format !== FORMAT) throw wrong(`its format must be ${FORMAT}, got ${format}`);
  const { startMs, tickMs } = Object(JSON.parse(reader.text()));
  if (typeof startMs !== "number" || typeof tickMs !== "number" || tickMs <= 0)
    throw wrong("it must have a start and a tick");
  const count = () => {
    const value = reader.varint();
    if (value > bytes.length) throw wrong(`it cannot hold ${value} rows`);
    return value;
  };
  const column = (length: number) => Array.from({ length }, () => reader.varint());
  const names = Array.from({ length: count() }, () => reader.text());
  const buckets = count();
  const clients = column(buckets).map(String);
  const plans = column(buckets).map((index) => names[index] ?? "");
  const starts = new Uint32Array(buckets + 1);
  for (let of = 0; of < buckets; of += 1) starts[of + 1] = (starts[of] ?? 0) + reader.varint();
  const entries = starts[buckets] ?? 0;
  if (entries > bytes.length) throw wrong(`it cannot hold ${entries} rows`);
  const tick = new Uint32Array(entries);
  for (let of = 0; of < buckets; of += 1) {
    let last = 0;
    for (let i = starts[of] ?? 0; i < (starts[of + 1] ?? 0); i += 1) {
      last += reader.varint();
      tick[i] = last;
    }
  }
  const requests = Uint32Array.from(column(entries));
  const tokens = Float64Array.from(column(entries), (more, i) => more + (requests[i] ?? 0));
  if (!reader.isAtEnd()) throw wrong("bytes follow its last column");
  return { startMs, tickMs, clients, plans, starts, tick, requests, tokens };
}

function indexes(texts: readonly string[]): Map<string, number> {
  const known = new Map<string, number>();
  for (const text of texts) if (!known.has(text)) known.set(text, known.size);
  return known;
}

function wrong(why: string): AppError {
  return new AppError("invalid", `the demand cannot be read: ${why}`);
}
