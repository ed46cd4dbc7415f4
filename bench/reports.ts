import { fileURLToPath } from "node:url";
import { parseRedisUrl } from "@/lib/config/redis-url";
import {
  type Ctx,
  createControl,
  ensureInstallation,
  getRuleReport,
  publish,
  putDraftContent,
  SYSTEM,
  withActor,
} from "@/lib/control";
import type { Database } from "@/lib/db/client";
import { migrate } from "@/lib/db/migrate";
import { keepPartitions } from "@/lib/ingest/partitions";
import { createLog } from "@/lib/log";
import { startPostgres } from "@/lib/testing/postgres";
import { type Random, seeded } from "@/lib/testing/random";
import { startRedis } from "@/lib/testing/redis";
import { type Figure, figure } from "./figure";
import { fillRollUps, PLANS, ROUTES, RULES, ruleId } from "./reports-data";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REPORTS = 200;
const HEAVIEST = 20;
const GOAL_MS = 300;

/**
 * Reports of random rules, filters and intervals up to 90 days, each asked for once, over ten million rows of all levels.
 * The busiest rule of 90 days without a filter is the heaviest that there is; it is measured apart as well.
 */
export async function benchReports(): Promise<Figure[]> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const folder = fileURLToPath(new URL("../prisma/migrations", import.meta.url));
  await migrate({ databaseUrl: postgres.url, folder });
  const node = parseRedisUrl(redis.url);
  if ("wrong" in node) throw new Error(node.wrong);
  const control = createControl(
    {
      environment: "bench",
      databaseUrl: postgres.url,
      secrets: ["a secret that only this bench knows"],
      redis: { state: { kind: "single", node }, control: { kind: "single", node } },
    },
    { log: createLog({ name: "bench", level: "silent" }) },
  );
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const at = (ms: number) => ({ ...control, clock: { nowMs: () => ms, monotonicMs: () => 0 } });
  try {
    await ensureInstallation(control, { demo: false });
    await publishRules(withActor(control, SYSTEM));
    await backdateVersions(control.db);
    // As a worker would have made them, day by day.
    for (let ms = nowMs - 96 * DAY_MS; ms <= nowMs; ms += DAY_MS) await keepPartitions(at(ms));
    const startMs = performance.now();
    const rows = await fillRollUps(control.db, new Date(nowMs));
    const fillSeconds = (performance.now() - startMs) / 1000;
    const ctx = withActor(at(nowMs), SYSTEM);
    const random = seeded(1);
    const mixed = await measure(ctx, REPORTS, () => randomReport(random, nowMs));
    const heavy = await measure(ctx, HEAVIEST, (i) => ({
      ...{ id: ruleId(1), mode: "shadow" as const },
      ...range(nowMs - i * 61_000, 90 * DAY_MS),
    }));
    return [
      figure("reports.rows", rows / 1e6, "M", { atLeast: 10 }),
      figure("reports.fill", fillSeconds, "s"),
      figure("reports.p50", quantile(mixed, 0.5), "ms"),
      figure("reports.p95", quantile(mixed, 0.95), "ms", { atMost: GOAL_MS }),
      figure("reports.max", quantile(mixed, 1), "ms"),
      figure("reports.heaviest.p50", quantile(heavy, 0.5), "ms"),
      figure("reports.heaviest.p95", quantile(heavy, 0.95), "ms"),
    ];
  } finally {
    await control.close();
    await Promise.all([postgres.stop(), redis.stop()]);
  }
}

async function publishRules(ctx: Ctx): Promise<void> {
  const rules = Array.from({ length: RULES }, (_, i) => ({
    id: ruleId(i + 1),
    name: `Rule ${i + 1}`,
    match: { routes: [`/v1/things-${i}/**`] },
    countBy: ["client"],
    mode: "shadow",
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      default: { rate: 60, per: "1m", burst: 60 },
    },
  }));
  const { baseVersion } = await putDraftContent(ctx, { content: { rules } });
  await publish(ctx, { message: "rules of the bench", baseVersion });
}

type Asked = Parameters<typeof getRuleReport>[1];

function randomReport(random: Random, nowMs: number): Asked {
  const n = Math.min(RULES, Math.ceil(RULES * random() ** 2 + 1e-9));
  const lengthMs = pick(random, [HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS]);
  // Half end now; the others anywhere in the last 90 days.
  const lastMs = random() < 0.5 ? nowMs : nowMs - random() * (90 * DAY_MS - lengthMs);
  const plan = pick(random, PLANS);
  const route = pick(random, ROUTES);
  const client = `key:client-${Math.floor(60_000 * random() ** 2)}` as const;
  return {
    id: ruleId(n),
    mode: n % 2 === 0 ? "enforce" : "shadow",
    ...range(lastMs, lengthMs * (0.5 + random() / 2)),
    ...pick(random, [
      {},
      {},
      {},
      { plan },
      { plan },
      { route },
      { plan, route },
      { client },
      { revision: 2 },
    ]),
  };
}

function range(toMs: number, lengthMs: number) {
  return { from: new Date(toMs - lengthMs).toISOString(), to: new Date(toMs).toISOString() };
}

async function measure(ctx: Ctx, count: number, ask: (i: number) => Asked): Promise<number[]> {
  const tookMs: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const asked = ask(i);
    const startMs = performance.now();
    const report = await getRuleReport(ctx, asked);
    tookMs.push(performance.now() - startMs);
    if (report.coverage.perGateway.length === 0)
      throw new Error("a report of nothing is no figure");
  }
  return tookMs.toSorted((a, b) => a - b);
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

function pick<T>(random: Random, of: readonly T[]): T {
  const found = of[Math.floor(random() * of.length)];
  if (found === undefined) throw new RangeError("nothing to pick from");
  return found;
}

/** The rules are as old as their counts. Versions never change, so here their guard is off. */
async function backdateVersions(db: Database): Promise<void> {
  await db.$executeRaw`ALTER TABLE version DISABLE TRIGGER USER`;
  await db.$executeRaw`UPDATE version SET created_at = created_at - interval '100 days'`;
}
