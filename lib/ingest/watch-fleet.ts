import { type GatewayState, gatewayState } from "@/lib/control/fleet";
import { getInstallation } from "@/lib/control/live-version";
import { raiseAlert } from "@/lib/control/raise-alert";
import { isRedisUp } from "@/lib/control/redis-up";
import { resolveAlert, resolveAlertsExcept } from "@/lib/control/resolve-alert";
import type { AlertKind } from "@/lib/core/alert";
import { type FleetSize, HeartbeatSchema, LIVE_MS } from "@/lib/core/heartbeat";
import { compareVersions } from "@/lib/core/version";
import { publishNotice } from "@/lib/redis/notices";
import { putFleetSize } from "@/lib/redis/reports";
import { oldestWaitingMs } from "@/lib/redis/streams";
import { runLoop } from "./loop";
import { INGEST_GROUP } from "./read-stream";
import type { WorkerCtx } from "./worker-context";

/** A gateway that has had a version in reach this long and runs an older one is late. */
export const CONVERGENCE_LATE_MS = 15_000;
const INGEST_BEHIND_MS = 60_000;
/** Gateways send their counts each second, requests or none; this long without any is no delay. */
export const NO_DATA_MS = 90_000;
/** Answers in a row that make a change of Redis's state believed. */
const REDIS_CHECKS = 2;

type Trouble = { subject: string; message: string };

export function runWatchFleet(ctx: WorkerCtx, signal: AbortSignal): Promise<void> {
  const watch = createFleetWatch(ctx);
  return runLoop(
    { name: "watch-fleet", pass: watch, everyMs: ctx.timings.watchMs, log: ctx.log },
    signal,
  );
}

/** One pass: tells the fleet its size when it changed, and opens and ends the alerts that only time can tell. */
export function createFleetWatch(ctx: WorkerCtx): () => Promise<void> {
  let told: FleetSize | null = null;
  let redisAnswers: boolean[] = [];
  const sinceMs = ctx.clock.monotonicMs();

  async function watchRedis(atMs: number): Promise<boolean> {
    const isUp = await isRedisUp(ctx);
    redisAnswers = [...redisAnswers, isUp].slice(-REDIS_CHECKS);
    if (redisAnswers.length < REDIS_CHECKS || new Set(redisAnswers).size > 1) return isUp;
    const message =
      "The worker cannot reach Redis: publishes and counts wait, gateways limit by their own share";
    if (isUp) await resolveAlert(ctx.db, { kinds: ["redis-down"], subject: "redis", atMs });
    else await raiseAlert(ctx.db, { kind: "redis-down", subject: "redis", message, atMs });
    return isUp;
  }

  async function tellFleet(size: FleetSize): Promise<void> {
    if (told !== null && told.live === size.live && told.silent === size.silent) return;
    await putFleetSize(ctx.redis, ctx.redisKeys, size);
    await publishNotice(ctx.redis, ctx.redisKeys, { kind: "fleet", ...size });
    told = size;
  }

  return async () => {
    // Taken first: what is raised while this pass looks is not ended by what it saw before.
    const nowMs = ctx.clock.nowMs();
    const isUp = await watchRedis(nowMs);
    const gateways = await listGateways(ctx, nowMs);
    const settle = (kind: AlertKind, troubles: readonly Trouble[]) =>
      alertEach(ctx, { kind, troubles, atMs: nowMs });
    const { heartbeatsSinceMs } = ctx.health;
    // While heartbeats are not read, or are being caught up with, nobody is silent: we are deaf.
    const isHearing =
      heartbeatsSinceMs !== null && ctx.clock.monotonicMs() - heartbeatsSinceMs >= LIVE_MS;
    if (isHearing) await settle("gateway-silent", findSilent(gateways, nowMs));
    await settle("convergence-late", await findLate(ctx, gateways, nowMs));
    // A worker that has just started may still have to take in what waited for it.
    if (ctx.clock.monotonicMs() - sinceMs >= NO_DATA_MS)
      await settle("no-data", await findMute(ctx, gateways, nowMs));
    await endForDeparted(ctx, gateways, nowMs);
    if (!isUp) return;
    const count = (state: GatewayState) => gateways.filter((one) => one.state === state).length;
    await tellFleet({ live: count("live"), silent: count("silent") });
    await settle("ingest-behind", await findBehind(ctx));
  };
}

type Watched = {
  id: string;
  state: GatewayState;
  lastSeenMs: number;
  startedAtMs: number;
  applied: { epoch: number; version: number } | null;
};

async function listGateways(ctx: WorkerCtx, nowMs: number): Promise<Watched[]> {
  const rows = await ctx.db.gateway.findMany();
  return rows.map((row) => {
    const heartbeat = HeartbeatSchema.safeParse(row.heartbeat);
    return {
      id: row.id,
      state: gatewayState(row, nowMs),
      lastSeenMs: row.lastSeenAt.getTime(),
      startedAtMs: heartbeat.success ? heartbeat.data.startedAtMs : row.firstSeenAt.getTime(),
      applied:
        row.appliedEpoch === null || row.appliedVersion === null
          ? null
          : { epoch: row.appliedEpoch, version: row.appliedVersion },
    };
  });
}

function findSilent(gateways: readonly Watched[], nowMs: number): Trouble[] {
  return gateways
    .filter(({ state }) => state === "silent")
    .map(({ id, lastSeenMs }) => ({
      subject: id,
      message: `Gateway ${id} is silent since ${new Date(lastSeenMs).toISOString()}: it was neither drained nor dismissed (${words(nowMs - lastSeenMs)})`,
    }));
}

async function findLate(
  ctx: WorkerCtx,
  gateways: readonly Watched[],
  nowMs: number,
): Promise<Trouble[]> {
  const { epoch, version } = await getInstallation(ctx.db);
  const live = await ctx.db.version.findUnique({
    where: { number: version },
    select: { createdAt: true },
  });
  return gateways
    .filter(({ state, applied, startedAtMs }) => {
      const inReachMs = nowMs - Math.max(live?.createdAt.getTime() ?? nowMs, startedAtMs);
      const isBehind = applied === null || compareVersions(applied, { epoch, version }) < 0;
      return state === "live" && isBehind && inReachMs > CONVERGENCE_LATE_MS;
    })
    .map(({ id, applied }) => ({
      subject: id,
      message: `Gateway ${id} runs ${applied === null ? "no version" : `version ${applied.version}`} although ${version} is out for more than ${CONVERGENCE_LATE_MS / 1000} s`,
    }));
}

/** Live by its heartbeats, but its reports are blank; not while everybody's counts wait to be stored, which is told of. */
async function findMute(
  ctx: WorkerCtx,
  gateways: readonly Watched[],
  nowMs: number,
): Promise<Trouble[]> {
  const behind = await ctx.db.alert.count({ where: { kind: "ingest-behind", resolvedAt: null } });
  if (behind > 0) return [];
  const since = new Date(nowMs - NO_DATA_MS);
  const counted = await ctx.db.ingestedBatch.findMany({
    where: { ingestedAt: { gt: since } },
    distinct: ["gatewayId"],
    select: { gatewayId: true },
  });
  const heard = new Set(counted.map(({ gatewayId }) => gatewayId));
  return gateways
    .filter(({ id, state, startedAtMs }) => {
      return state === "live" && startedAtMs < since.getTime() && !heard.has(id);
    })
    .map(({ id }) => ({
      subject: id,
      message: `Gateway ${id} is live but has sent no counts for more than ${NO_DATA_MS / 1000} s: reports and guardrails do not see its requests; look at its log and its path to Redis and the console`,
    }));
}

async function findBehind(ctx: WorkerCtx): Promise<Trouble[]> {
  const reader = { stream: ctx.redisKeys.counts, group: INGEST_GROUP, consumer: ctx.workerId };
  const waitingMs = await oldestWaitingMs(ctx.redis, reader);
  if (waitingMs === null || waitingMs <= INGEST_BEHIND_MS) return [];
  return [
    {
      subject: "counts",
      message: `Reports are behind: the oldest count waits for ${words(waitingMs)} to be stored`,
    },
  ];
}

type Settled = { kind: AlertKind; troubles: readonly Trouble[]; atMs: number };

/** Raises for each subject in trouble, resolves for all others of the kind. */
async function alertEach(ctx: WorkerCtx, { kind, troubles, atMs }: Settled): Promise<void> {
  for (const { subject, message } of troubles)
    await raiseAlert(ctx.db, { kind, subject, message, atMs });
  const subjects = troubles.map(({ subject }) => subject);
  await resolveAlertsExcept(ctx.db, { kind, subjects, atMs });
}

/** A gateway that is drained, dismissed or gone has no trouble left to look at. */
async function endForDeparted(ctx: WorkerCtx, gateways: readonly Watched[], atMs: number) {
  const subjects = gateways
    .filter(({ state }) => state === "live" || state === "silent")
    .map(({ id }) => id);
  for (const kind of ["gateway-degraded", "gateway-refused", "gateway-stopped", "no-data"] as const)
    await resolveAlertsExcept(ctx.db, { kind, subjects, atMs });
}

function words(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
