import { createCombinedParser } from "@/lib/core/access-log-combined";
import { type Backtest, createBacktest } from "@/lib/core/backtest";
import { estimateLimit } from "@/lib/core/backtest-estimate";
import { tokenBucket } from "@/lib/core/bucket";
import { compileRuleset } from "@/lib/core/compile-ruleset";
import { RuleSchema } from "@/lib/core/rule";
import { BodySchema } from "@/lib/core/ruleset";
import { type Figure, figure } from "./figure";

const REQUESTS = 1_000_000;
const CLIENTS = 10_000;
const START_MS = Date.UTC(2026, 0, 1, 1);

/**
 * A million combined log lines of ten thousand clients, read, put in order, matched and decided on one core, and what was
 * asked noted; then estimates of another limit from that. CPU beside time: a busy machine tells of others, too.
 */
export async function benchBacktest(): Promise<Figure[]> {
  const backtest = createBacktest(rules(), { demand: true });
  let spentMs = 0;
  let cpuUs = 0;
  const spend = (work: () => void) => {
    const startMs = performance.now();
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
    spentMs += performance.now() - startMs;
  };
  const parse = createCombinedParser();
  const batch: string[] = [];
  for (let i = 0; i < REQUESTS; i += 1) {
    batch.push(lineOf(i));
    if (batch.length < 10_000) continue;
    spend(() => {
      for (const line of batch) {
        const read = parse(line);
        if ("broken" in read) throw new Error(`${read.broken}: ${line}`);
        const { client, atMs, method, target } = read.ok;
        const id = `ip:${client}` as const;
        backtest.add({ atMs, client: id, ip: client, plan: "anonymous", method, path: target });
      }
    });
    batch.length = 0;
  }
  let requests = 0;
  let rejections = 0;
  spend(() => {
    ({ requests, rejections } = backtest.result());
  });
  if (requests !== REQUESTS) throw new Error(`${requests} of ${REQUESTS} requests were decided`);
  return [
    figure("backtest.1m-requests", spentMs / 1000, "s", { atMost: 10 }),
    figure("backtest.cpu", cpuUs / 1e6, "s"),
    figure("backtest.estimate", estimateMs(backtest), "ms", { atMost: 200 }),
    figure("backtest.rejected", (100 * rejections) / requests, "%"),
    figure("backtest.memory", process.memoryUsage().rss / 2 ** 20, "MiB"),
  ];
}

/** Median of some limits, as a slider asks for them. */
function estimateMs(backtest: Backtest): number {
  const demand = backtest.demandOf("by-ip", "live");
  if (demand === null) throw new Error("nothing was noted of by-ip");
  const times = Array.from({ length: 9 }, (_, i) => {
    const limit = tokenBucket({ rate: 10 + 20 * i, per: "1m", burst: 20 });
    const startMs = performance.now();
    estimateLimit(demand, () => limit);
    return performance.now() - startMs;
  });
  return times.sort((a, b) => a - b)[4] ?? 0;
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
