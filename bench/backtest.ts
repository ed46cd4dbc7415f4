import { createCombinedParser } from "@/lib/core/access-log-combined";
import { createBacktest } from "@/lib/core/backtest";
import { compileRuleset } from "@/lib/core/compile-ruleset";
import { RuleSchema } from "@/lib/core/rule";
import { BodySchema } from "@/lib/core/ruleset";
import { type Figure, figure } from "./figure";

const REQUESTS = 1_000_000;
const CLIENTS = 10_000;
const START_MS = Date.UTC(2026, 0, 1, 1);

/** A million combined log lines of ten thousand clients, read, put in order, matched and decided on one core. */
export async function benchBacktest(): Promise<Figure[]> {
  const backtest = createBacktest(rules());
  let spentMs = 0;
  const parse = createCombinedParser();
  const batch: string[] = [];
  for (let i = 0; i < REQUESTS; i += 1) {
    batch.push(lineOf(i));
    if (batch.length < 10_000) continue;
    const startMs = performance.now();
    for (const line of batch) {
      const read = parse(line);
      if ("broken" in read) throw new Error(`${read.broken}: ${line}`);
      const { client, atMs, method, target } = read.ok;
      const id = `ip:${client}` as const;
      backtest.add({ atMs, client: id, ip: client, plan: "anonymous", method, path: target });
    }
    spentMs += performance.now() - startMs;
    batch.length = 0;
  }
  const startMs = performance.now();
  const { requests, rejections } = backtest.result();
  spentMs += performance.now() - startMs;
  if (requests !== REQUESTS) throw new Error(`${requests} of ${REQUESTS} requests were decided`);
  return [
    figure("backtest.1m-requests", spentMs / 1000, "s", { atMost: 10 }),
    figure("backtest.rejected", (100 * rejections) / requests, "%"),
    figure("backtest.memory", process.memoryUsage().rss / 2 ** 20, "MiB"),
  ];
}

/** Some clients ask a hundred times as often as others; every tenth line comes up to 9 s early. */
function lineOf(i: number): string {
  const spread = ((i * 2_654_435_761) >>> 0) / 2 ** 32;
  const nth = Math.floor(CLIENTS * spread ** 3);
  const at = new Date(START_MS + i * 4 - (i % 10 === 0 ? (i % 9) * 1000 : 0));
  const time = `${at.toISOString().slice(11, 19)} +0000`;
  const address = `198.18.${nth >> 8}.${nth & 255}`;
  return `${address} - - [01/Jan/2026:${time}] "GET /v1/links/${i % 977}?page=${i % 7} HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11; Linux x86_64) client/1.0"`;
}

function rules() {
  const amount = (rate: number) => ({ default: { rate, per: "1m", burst: rate } });
  const all = [
    { id: "by-ip", countBy: ["ip"], limit: amount(60), mode: "enforce" },
    { id: "by-route", countBy: ["ip", "route"], limit: amount(40), mode: "shadow" },
    {
      id: "reads",
      match: { methods: ["GET"] },
      countBy: ["client"],
      limit: amount(50),
      mode: "shadow",
    },
    {
      id: "writes",
      match: { methods: ["POST"] },
      countBy: ["client"],
      limit: amount(6),
      mode: "enforce",
    },
  ].map(({ limit, ...rule }) =>
    RuleSchema.parse({
      name: rule.id,
      limit: { kind: "rate", algorithm: "token-bucket", ...limit },
      ...rule,
    }),
  );
  const entries = all.map((rule, i) => ({
    id: rule.id,
    live: { revision: 1, slot: i + 1, rule },
  }));
  const body = BodySchema.parse({ routes: ["/v1/links/:id"], plans: [], rules: entries });
  return compileRuleset(body, { epoch: 1, version: 1, hash: "bench" });
}
