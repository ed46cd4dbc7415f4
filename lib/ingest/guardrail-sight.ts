import { type GatewayState, gatewayState } from "@/lib/control/fleet";
import type { Sight, SightOf } from "@/lib/control/judge-enforcements";
import { getLive } from "@/lib/control/live-version";
import { isRedisUp } from "@/lib/control/redis-up";
import { HeartbeatSchema } from "@/lib/core/heartbeat";
import { isStopped } from "@/lib/core/stop-enforcing";
import { oldestWaitingMs } from "@/lib/redis/streams";
import { INGEST_GROUP } from "./read-stream";
import { CONVERGENCE_LATE_MS } from "./watch-fleet";
import type { WorkerCtx } from "./worker-context";

/** Gateways send what they counted each second, and a word each 20 s without requests. */
const MUTE_MS = 30_000;
/** Counts that wait longer tell of another time than now. */
const BEHIND_MS = 15_000;
const DROPPED_MS = 120_000;
const NAMED_MAX = 5;

type Seen = {
  id: string;
  state: GatewayState;
  lastSeenMs: number;
  startedAtMs: number;
  appliedVersion: number | null;
  stopped: readonly string[];
  isHeard: boolean;
};

/** What is known of the fleet's counts at one moment, asked for each watched rule. */
export async function readSight(ctx: WorkerCtx): Promise<SightOf> {
  const nowMs = ctx.clock.nowMs();
  const gateways = await seenGateways(ctx, nowMs);
  const waitingMs = await waiting(ctx);
  const dropped = await droppedWords(ctx, nowMs);
  return ({ ruleId, version, sinceMs }): Sight => {
    const isOld = (fromMs: number, ms: number) => nowMs - fromMs > ms;
    const mute = gateways.filter(
      ({ state, isHeard, startedAtMs }) =>
        state === "live" && !isHeard && isOld(Math.max(startedAtMs, sinceMs), MUTE_MS),
    );
    const late = gateways.filter(
      ({ state, appliedVersion, startedAtMs }) =>
        state === "live" &&
        (appliedVersion ?? 0) < version &&
        isOld(Math.max(startedAtMs, sinceMs), CONVERGENCE_LATE_MS),
    );
    const stopped = gateways.filter(
      (gateway) => gateway.state === "live" && isStopped(gateway.stopped, ruleId),
    );
    const silent = gateways.filter(({ state }) => state === "silent");
    const live = gateways.filter(({ state }) => state === "live");
    const isBehind = waitingMs !== null && waitingMs > BEHIND_MS;
    const missing = [
      ...(live.length === 0 ? ["no gateway is live"] : []),
      ...(isBehind ? [`counts wait for ${seconds(waitingMs)} to be stored`] : []),
      ...said(silent, "silent"),
      ...said(mute, `without a count for more than ${MUTE_MS / 1000} s`),
      ...said(late, `without version ${version}`),
      ...said(stopped, "told at the machine not to enforce it"),
      ...dropped,
    ];
    return { missing, isBlind: isBehind || live.every((gateway) => mute.includes(gateway)) };
  };
}

async function seenGateways({ db }: WorkerCtx, nowMs: number): Promise<Seen[]> {
  const rows = await db.gateway.findMany({ orderBy: { id: "asc" } });
  const heard = await db.ingestedBatch.findMany({
    where: { ingestedAt: { gt: new Date(nowMs - MUTE_MS) } },
    distinct: ["gatewayId"],
    select: { gatewayId: true },
  });
  const ids = new Set(heard.map(({ gatewayId }) => gatewayId));
  return rows.map((row) => {
    const heartbeat = HeartbeatSchema.safeParse(row.heartbeat);
    return {
      id: row.id,
      state: gatewayState(row, nowMs),
      lastSeenMs: row.lastSeenAt.getTime(),
      startedAtMs: heartbeat.success ? heartbeat.data.startedAtMs : row.firstSeenAt.getTime(),
      appliedVersion: row.appliedVersion,
      stopped: heartbeat.success ? (heartbeat.data.stopEnforcing?.rules ?? []) : [],
      isHeard: ids.has(row.id),
    };
  });
}

/** Null while Redis is away: then counts come by HTTP, or nobody is heard. */
async function waiting(ctx: WorkerCtx): Promise<number | null> {
  if (!(await isRedisUp(ctx))) return null;
  const reader = { stream: ctx.redisKeys.counts, group: INGEST_GROUP, consumer: ctx.workerId };
  return oldestWaitingMs(ctx.redis, reader);
}

async function droppedWords({ db }: WorkerCtx, nowMs: number): Promise<string[]> {
  const { content } = await getLive(db);
  const { maxDroppedShare } = content.settings.evidence;
  const sums = await db.gatewayMinute.aggregate({
    where: { minute: { gte: new Date(nowMs - DROPPED_MS) } },
    _sum: { requests: true, droppedRequests: true, batches: true, missingBatches: true },
  });
  const of = (value: bigint | number | null) => Number(value ?? 0);
  const shares = [
    [of(sums._sum.droppedRequests), of(sums._sum.requests)],
    [of(sums._sum.missingBatches), of(sums._sum.batches)],
  ].map(([lost = 0, kept = 0]) => (lost === 0 ? 0 : lost / (lost + kept)));
  const share = Math.max(...shares);
  if (share <= maxDroppedShare) return [];
  return [
    `${Math.ceil(share * 10_000) / 100} % of the last counts were dropped, at most ${maxDroppedShare * 100} % allowed`,
  ];
}

function said(gateways: readonly Seen[], what: string): string[] {
  if (gateways.length === 0) return [];
  const named = gateways.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = gateways.length > NAMED_MAX ? ` and ${gateways.length - NAMED_MAX} more` : "";
  const noun = gateways.length === 1 ? "gateway" : "gateways";
  return [`${noun} ${named.join(", ")}${more} ${what}`];
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
