import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hit } from "../core/counts";
import { inTransaction } from "../db/client";
import { type ControlWorld, controlWorld, countBatch } from "../testing/worker";
import { SYSTEM, withActor } from "./context";
import { exportHits } from "./export-hits";
import { exportReport } from "./export-report";
import { ingestBatches } from "./ingest-batches";

const RULE = "new-links-free";
/** More than two pages of the export. */
const HITS = 1_203;
let world: ControlWorld;
let nowMs: number;

beforeAll(async () => {
  world = await controlWorld({ demo: true });
  const minute = Math.floor(Date.now() / 60_000) + 1;
  nowMs = (minute + 1) * 60_000;
  const counted = { rule: RULE, revision: 1, mode: "shadow", lane: "live", plan: "free" } as const;
  const hits = Array.from(
    { length: HITS },
    (_, i): Hit => ({
      ...counted,
      // Several in one millisecond, where pages meet.
      atMs: minute * 60_000 + Math.floor(i / 7),
      requestId: `r-${i}`,
      client: i % 2 === 0 ? "key:a" : "ip:198.51.100.7",
      method: "POST",
      route: i === 0 ? "=1+1" : "/v1/links",
      epoch: 1,
      version: 1,
      retryAfterSeconds: i === 1 ? null : 5,
    }),
  );
  const figures = { requests: 2 * HITS, rejections: HITS, newly: HITS };
  const batch = countBatch({
    environment: world.control.environment,
    gateway: "gw-1",
    sequence: 1,
    fromMs: minute * 60_000,
    counts: [{ ...counted, second: minute * 60, route: "/v1/links", ...figures }],
    clients: [{ ...counted, minute, client: "key:a", requests: 900, rejections: 602, newly: 602 }],
    hits,
  });
  await inTransaction(world.control.db, (tx) => ingestBatches(tx, [batch]));
});
afterAll(() => world.close());

function ctx() {
  const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
  return withActor({ ...world.control, clock }, SYSTEM);
}

async function read({ chunks }: { chunks: AsyncGenerator<string> }): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk;
  return text;
}

test("an export has every hit once, over its pages' ends, and says how complete the log is", async () => {
  const text = await read(exportHits(ctx(), { id: RULE, format: "json" }));
  const { sampling, items } = JSON.parse(text);
  const ids = items.map(({ requestId }: { requestId: string }) => requestId);
  expect(new Set(ids).size).toBe(HITS);
  expect(ids).toHaveLength(HITS);
  expect(ids.at(-1)).toMatch(/^r-[0-6]$/);
  expect(sampling).toEqual({ seen: HITS, kept: HITS, share: 1 });
});

test("an export holds to the filters, and its CSV runs nothing in a spreadsheet", async () => {
  const filtered = exportHits(ctx(), { id: RULE, format: "csv", client: "key:a" });
  const lines = (await read(filtered)).trimEnd().split("\r\n");
  expect(lines[0]).toBe(
    "\uFEFFat,requestId,client,plan,method,route,mode,lane,retryAfterSeconds,gateway,version,revision",
  );
  expect(lines).toHaveLength(1 + Math.ceil(HITS / 2));
  expect(lines.filter((line) => line.includes(",'=1+1,"))).toHaveLength(1);
  expect(lines.every((line) => !line.includes("198.51.100.7"))).toBe(true);
  const none = await read(exportHits(ctx(), { id: RULE, format: "json", plan: "paid" }));
  expect(JSON.parse(none).items).toEqual([]);
});

test("a report comes as the file that its filter asks for", async () => {
  const json = JSON.parse(await read(exportReport(ctx(), { id: RULE, format: "json" })));
  expect(json).toMatchObject({ rule: RULE, requests: 2 * HITS, rejections: HITS, clients: 1 });
  const csv = await read(exportReport(ctx(), { id: RULE, format: "csv", client: "key:a" }));
  expect(csv).toMatch(/\r\nnew-links-free,shadow,total,,,[^,]+,[^,]+,900,602,602,602,0.668889,1,/);
  expect(csv).toContain("only client key:a");
});

test("what an export cannot take is refused before the first byte", async () => {
  const format = "xml" as "csv";
  expect(() => exportHits(ctx(), { id: RULE, format })).toThrow(
    'format must be one of csv, json, got "xml"',
  );
  expect(() => exportReport(ctx(), { id: RULE, format })).toThrow("format must be one of");
  await expect(read(exportHits(ctx(), { id: "no-such", format: "csv" }))).rejects.toThrow(
    "there is no rule no-such",
  );
});
