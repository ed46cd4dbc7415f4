import { expect, test } from "vitest";
import { tokenBucketRule } from "../testing/rules";
import { createDemandRecorder } from "./backtest-demand";
import { estimateLimit } from "./backtest-estimate";
import { decodeDemand, encodeDemand } from "./demand-bytes";
import { compileLimit } from "./plan-limits";

const START = Date.UTC(2026, 10, 30, 7, 0, 0, 250);

function recorded(entriesMax?: number) {
  const recorder = createDemandRecorder({ windowMs: 60_000, ...(entriesMax && { entriesMax }) });
  const buckets = ["key:a", "key:b", "key:a", "ip:192.0.2.1"].map((client, i) =>
    recorder.bucketOf(client, i === 3 ? "anonymous" : "free"),
  );
  for (let n = 0; n < 2_000; n += 1)
    recorder.count(buckets[(n * 7) % 4] ?? 0, START + n * 400 + (n % 3), n % 5 === 0 ? 3 : 1);
  return recorder.demand();
}

test("what was encoded is decoded, and its estimates are the same without a client's name", () => {
  for (const demand of [recorded(), recorded(300)]) {
    const bytes = encodeDemand(demand);
    const decoded = decodeDemand(bytes);
    const { clients, ...rest } = demand;
    expect(decoded).toEqual({
      ...rest,
      clients: clients.map((id) => String([...new Set(clients)].indexOf(id))),
    });
    expect(new TextDecoder().decode(bytes)).not.toContain("key:a");
    const limits = compileLimit(
      tokenBucketRule({ limit: { default: { rate: 20, per: "1m", burst: 5 } } }).limit,
    );
    const limitOf = (plan: string) => limits(plan, true);
    const estimate = estimateLimit(demand, limitOf);
    expect(estimate.rejections).toBeGreaterThan(0);
    expect(estimateLimit(decoded, limitOf)).toEqual(estimate);
  }
});

test("bytes that are cut, or go on, are refused", () => {
  const bytes = encodeDemand(recorded(300));
  for (let length = 0; length < bytes.length; length += 97)
    expect(() => decodeDemand(bytes.subarray(0, length))).toThrow("the demand cannot be read");
  expect(() => decodeDemand(Uint8Array.from([...bytes, 0]))).toThrow("bytes follow");
  expect(() => decodeDemand(Uint8Array.from([2]))).toThrow("its format must be 1, got 2");
});
