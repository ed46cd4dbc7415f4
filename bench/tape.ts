import { deflateRawSync } from "node:zlib";
import { createTape, type TapedRequest } from "@/lib/agent/tape";
import { SystemClock } from "@/lib/clock";
import type { Identity } from "@/lib/core/identity";
import { parseIp } from "@/lib/core/ip";
import { encodeTapeBlock } from "@/lib/core/tape-block";
import { isInTapeSample } from "@/lib/core/tape-sample";
import { type Figure, figure } from "./figure";

const CLIENTS = 5_000;
const BATCH = 1_000;
const BATCHES = 1_000;

/** What a request pays for the tape at a gateway, and what a block costs the event loop after the answers. */
export async function benchTape(): Promise<Figure[]> {
  const settings = { enabled: true, percent: 10, maxPerClientPerMinute: 1_000_000 };
  const requests = Array.from({ length: CLIENTS }, (_, n) => requestOf(n));
  const isTaped = ({ identity }: TapedRequest) => isInTapeSample(identity.client, 1_000);
  const taped = requests.filter(isTaped);
  const others = requests.filter((request) => !isTaped(request));
  const tape = createTape({ clock: new SystemClock(), onFull: () => {} });
  const encodeMs: number[] = [];
  let bytes = 0;
  let kept = 0;

  function nanosOf(from: readonly TapedRequest[]): number {
    const batches: number[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const startMs = performance.now();
      for (let n = 0; n < BATCH; n += 1) {
        const request = from[(batch * BATCH + n) % from.length];
        if (request !== undefined) tape.record(request, settings);
      }
      batches.push(((performance.now() - startMs) / BATCH) * 1e6);
      for (const block of tape.take(5_000)) {
        const encodeStartMs = performance.now();
        const encoded = encodeTapeBlock(block.requests);
        encodeMs.push(performance.now() - encodeStartMs);
        bytes += deflateRawSync(encoded).length;
        kept += block.requests.length;
      }
    }
    return median(batches);
  }

  const onTape = nanosOf(taped);
  const notOnTape = nanosOf(others);
  return [
    figure("tape.record", onTape / 1000, "µs", { atMost: 1 }),
    figure("tape.not-on-tape", notOnTape / 1000, "µs", { atMost: 0.2 }),
    figure("tape.encode-block", median(encodeMs), "ms", { atMost: 5 }),
    figure("tape.bytes-a-request", bytes / kept, "B"),
  ];
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

function requestOf(n: number): TapedRequest {
  const ip = parseIp(`198.18.${n >> 8}.${n & 255}`);
  if (ip === null) throw new Error(`${n} gives no address`);
  const identity: Identity = {
    client: `key:k${n}`,
    authenticated: true,
    customer: `c${n}`,
    plan: n % 3 === 0 ? "paid" : "free",
    ip,
    ipClient: `ip:${ip.toString()}`,
  };
  const route = n % 4 === 0 ? "/v1/links/:id" : "/v1/messages";
  return { identity, method: "GET", route, verdict: "allowed", preflight: false };
}
