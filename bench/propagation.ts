import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseRedisUrl } from "@/lib/config/redis-url";
import {
  type Ctx,
  createControl,
  ensureInstallation,
  getOverview,
  publish,
  putDraftContent,
  SYSTEM,
  setRuleMode,
  withActor,
} from "@/lib/control";
import { migrate } from "@/lib/db/migrate";
import { startWorker } from "@/lib/ingest/start-worker";
import { createLog } from "@/lib/log";
import { startPostgres } from "@/lib/testing/postgres";
import { startRedis } from "@/lib/testing/redis";
import { waitFor } from "@/lib/testing/wait-for";
import { type Figure, figure } from "./figure";
import { type Ask, type Told, ToldSchema, type World } from "./propagation-words";

const RULES = 1_000;
const FLEET = 40;
const PROCESSES = 2;
const PUBLISHES = 30;
const FLEET_PUBLISHES = 10;
const WAIT = { timeoutMs: 60_000 };
const SECRET = "a secret that only this bench knows";
/** Requests in flight, and for how long they are driven, with and without publishes. */
const DRIVEN = { concurrency: 4, ms: 6_000 };

/** A publish of one rule out of a thousand, from its commit to the swap in one gateway, and in forty. */
export async function benchPropagation(): Promise<Figure[]> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const dataDir = await mkdtemp(join(tmpdir(), "headgate-bench-propagation-"));
  const folder = fileURLToPath(new URL("../prisma/migrations", import.meta.url));
  await migrate({ databaseUrl: postgres.url, folder });
  const node = parseRedisUrl(redis.url);
  if ("wrong" in node) throw new Error(node.wrong);
  const control = createControl(
    {
      environment: "bench",
      databaseUrl: postgres.url,
      secrets: [SECRET],
      redis: { state: { kind: "single", node }, control: { kind: "single", node } },
    },
    { log: createLog({ name: "bench", level: "silent" }) },
  );
  await ensureInstallation(control, { demo: false });
  const ctx = withActor(control, SYSTEM);
  const worker = startWorker(control);
  const world = { environment: "bench", redisUrl: redis.url, dataDir, secrets: [SECRET] };
  const fleet = openFleet(world);
  try {
    await publishMany(ctx);
    return [...(await measureOne(ctx, fleet)), ...(await measureFleet(ctx, fleet))];
  } finally {
    fleet.close();
    await worker.stop();
    await control.close();
    await Promise.all([postgres.stop(), redis.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function publishMany(ctx: Ctx): Promise<void> {
  const rules = Array.from({ length: RULES }, (_, i) => ({
    id: `rule-${i}`,
    name: `Rule ${i}`,
    match: { methods: ["POST"], routes: [`/v1/things-${i}/**`] },
    countBy: ["apiKey"],
    mode: "shadow",
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      perPlan: {
        free: { rate: 60 + i, per: "1m", burst: 60 },
        paid: { rate: 600, per: "1m", burst: 600 },
        enterprise: "unlimited",
      },
    },
  }));
  await putDraftContent(ctx, { content: { rules } });
  const { version } = await getOverview(ctx);
  await publish(ctx, { message: "a thousand rules", baseVersion: version });
}

async function measureOne(ctx: Ctx, fleet: Fleet): Promise<Figure[]> {
  await fleet.startGateway("one-turns");
  const took: number[] = [];
  const turns: number[] = [];
  for (let i = 0; i < PUBLISHES; i += 1) {
    const made = await publishOne(ctx, i);
    const { appliedAtMs, longestMs } = await fleet.applied("one-turns", made.version);
    took.push(Math.max(0, appliedAtMs - made.committedMs));
    turns.push(longestMs);
    await sleep(50);
  }
  fleet.stop("one-turns");
  const url = await fleet.startGateway("one");
  const quiet = await fleet.drive(url);
  let isOver = false;
  const driven = fleet.drive(url).finally(() => {
    isOver = true;
  });
  for (let i = 0; !isOver; i += 1) {
    await publishOne(ctx, i);
    await sleep(500);
  }
  const busy = await driven;
  return [
    figure("propagation.one.p50", percentile(took, 0.5), "ms"),
    figure("propagation.one.p99", percentile(took, 0.99), "ms", { atMost: 100 }),
    figure("propagation.swap.longest-turn.p50", percentile(turns, 0.5), "ms", { atMost: 5 }),
    figure("propagation.swap.longest-turn.max", Math.max(...turns), "ms"),
    figure("propagation.requests.p99-quiet", percentile(quiet, 0.99), "ms"),
    figure("propagation.requests.p99-during-publishes", percentile(busy, 0.99), "ms", {
      atMost: percentile(quiet, 0.99) + 5,
    }),
  ];
}

async function measureFleet(ctx: Ctx, fleet: Fleet): Promise<Figure[]> {
  const ids = Array.from({ length: FLEET }, (_, i) => `gateway-${i}`);
  await fleet.startAgents(ids);
  const took: number[] = [];
  const usedBefore = fleet.usedMs(ids);
  for (let i = 0; i < FLEET_PUBLISHES; i += 1) {
    const made = await publishOne(ctx, i);
    const applied = await Promise.all(ids.map((id) => fleet.applied(id, made.version)));
    const last = Math.max(...applied.map(({ appliedAtMs }) => appliedAtMs));
    took.push(last - made.committedMs);
    await sleep(200);
  }
  const used = (fleet.usedMs(ids) - usedBefore) / (FLEET * FLEET_PUBLISHES);
  return [
    figure("propagation.fleet.processor-time-a-gateway", used, "ms"),
    figure(`propagation.fleet-of-${FLEET}.p50`, percentile(took, 0.5), "ms"),
    figure(`propagation.fleet-of-${FLEET}.slowest`, Math.max(...took), "ms", { atMost: 1_000 }),
  ];
}

async function publishOne(ctx: Ctx, i: number): Promise<{ version: number; committedMs: number }> {
  const mode = Math.floor(i / RULES) % 2 === 0 ? "off" : "shadow";
  const id = `rule-${(i * 37 + 11) % RULES}`;
  const made = await setRuleMode(ctx, { id, mode, reason: "bench" }).catch(() =>
    setRuleMode(ctx, { id, mode: mode === "off" ? "shadow" : "off", reason: "bench" }),
  );
  return { version: made.version, committedMs: Date.now() };
}

type Applied = Extract<Told, { kind: "applied" }>;
type Fleet = ReturnType<typeof openFleet>;

function openFleet(world: World) {
  const told = new Map<string, Applied>();
  const children: ChildProcess[] = [];

  type Process = { isUp: boolean; url: string | null; driven: readonly number[] | null };

  async function open(ask: Ask): Promise<Process> {
    const file = fileURLToPath(new URL("./propagation-process.ts", import.meta.url));
    const child = fork(file, { execArgv: ["--import", "tsx"] });
    children.push(child);
    const state: Process = { isUp: false, url: null, driven: null };
    child.on("message", (message) => {
      const said = ToldSchema.parse(message);
      if (said.kind === "up") state.isUp = true;
      else if (said.kind === "listens") state.url = said.url;
      else if (said.kind === "driven") state.driven = said.tookMs;
      else told.set(said.id, said);
    });
    await waitFor(() => state.isUp, WAIT);
    child.send(ask);
    if (ask.kind === "gateway") await waitFor(() => state.url !== null, WAIT);
    return state;
  }

  async function applied(id: string, version: number): Promise<Applied> {
    await waitFor(() => (told.get(id)?.version ?? 0) >= version, WAIT);
    const said = told.get(id);
    if (said === undefined) throw new Error(`${id} applied nothing`);
    return said;
  }

  return {
    applied,
    /** Processor time of these gateways' processes so far. */
    usedMs: (ids: readonly string[]): number => {
      const byProcess = new Map<number, number>();
      for (const id of ids) {
        const said = told.get(id);
        if (said === undefined) continue;
        byProcess.set(said.pid, Math.max(said.usedMs, byProcess.get(said.pid) ?? 0));
      }
      return [...byProcess.values()].reduce((sum, ms) => sum + ms, 0);
    },
    startGateway: async (id: string): Promise<string> => {
      const { url } = await open({ kind: "gateway", world, id });
      await applied(id, 1);
      return url ?? "";
    },
    stop: (id: string): void => {
      const pid = told.get(id)?.pid;
      children.find((child) => child.pid === pid)?.kill("SIGKILL");
    },
    /** ms of each request. */
    drive: async (url: string): Promise<readonly number[]> => {
      const state = await open({ kind: "drive", url, ...DRIVEN });
      await waitFor(() => state.driven !== null, WAIT);
      return state.driven ?? [];
    },
    startAgents: async (ids: readonly string[]): Promise<void> => {
      const each = Math.ceil(ids.length / PROCESSES);
      const groups = Array.from({ length: PROCESSES }, (_, i) =>
        ids.slice(i * each, (i + 1) * each),
      );
      await Promise.all(groups.map((group) => open({ kind: "agents", world, ids: group })));
      await Promise.all(ids.map((id) => applied(id, 1)));
    },
    close: () => {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
