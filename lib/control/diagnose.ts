import { permissionsOfRole, permissionsOfScopes } from "@/lib/core/access";
import { type Diagnosis, type DiagnosisLine, fail, ok, warn } from "@/lib/core/api/diagnosis";
import { compareVersions } from "@/lib/core/version";
import { readSnapshotHead } from "@/lib/redis/snapshot";
import { INGEST_GROUP, oldestWaitingMs } from "@/lib/redis/streams";
import type { Actor, Ctx } from "./context";
import { diagnoseFleet } from "./diagnose-fleet";
import { diagnosePostgres } from "./diagnose-postgres";
import { diagnoseRedis } from "./diagnose-redis";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";
import { isRedisUp } from "./redis-up";

/** Work that waits longer is late, and much longer is left. */
const LATE_MS = 10_000;
const LEFT_MS = 60_000;

/** Looks at servers, workers and gateways, and says of each whether it is well and what to do. Changes nothing. */
export async function diagnose(ctx: Ctx): Promise<Diagnosis> {
  requirePermission(ctx, "read");
  return { caller: callerOf(ctx.actor), lines: await lookAround(ctx) };
}

async function lookAround(ctx: Ctx): Promise<DiagnosisLine[]> {
  const [postgres, redis] = await Promise.all([diagnosePostgres(ctx), diagnoseRedis(ctx)]);
  const lines = [...postgres.lines, ...redis];
  if (!postgres.isUp || lines.some(isUnmigrated)) return lines;
  const isUp = await isRedisUp(ctx);
  const rest = await Promise.all([
    isUp ? snapshotLine(ctx) : [],
    outboxLine(ctx),
    isUp ? ingestLines(ctx) : [],
    diagnoseFleet(ctx),
  ]);
  return [...lines, ...rest.flat()];
}

const isUnmigrated = ({ check, level }: DiagnosisLine) =>
  check === "migrations" && level === "fail";

async function snapshotLine({ db, redis, redisKeys }: Ctx): Promise<DiagnosisLine[]> {
  const { epoch, version } = await getInstallation(db);
  const head = await readSnapshotHead(redis, redisKeys);
  const todo =
    "See that a worker runs and reaches Redis: it writes the snapshot anew every few seconds.";
  if (head === null) return [fail("snapshot", "Redis holds none for gateways to load", todo)];
  const order = compareVersions(head, { epoch, version });
  if (order === 0) return [ok("snapshot", `version ${version} is in Redis`)];
  return [
    fail(
      "snapshot",
      `Redis holds version ${head.version} of epoch ${head.epoch}, live is ${version} of epoch ${epoch}`,
      todo,
    ),
  ];
}

/** Commits whose word has not gone out yet. */
async function outboxLine({ db, clock }: Ctx): Promise<DiagnosisLine[]> {
  const oldest = await db.outbox.findFirst({ where: { doneAt: null }, orderBy: { id: "asc" } });
  const waitedMs = oldest === null ? 0 : clock.nowMs() - oldest.createdAt.getTime();
  if (oldest === null || waitedMs < LATE_MS)
    return [ok("worker", "every change has been passed on")];
  const tried = oldest.error === null ? "" : `; the last try said: ${oldest.error}`;
  return [
    fail(
      "worker",
      `a change waits for ${seconds(waitedMs)} to be passed on to gateways${tried}`,
      "Start a worker (`node dist/worker.mjs`), or see in its log what it waits for.",
    ),
  ];
}

async function ingestLines({ redis, redisKeys }: Ctx): Promise<DiagnosisLine[]> {
  const streams = {
    counts: redisKeys.counts,
    heartbeats: redisKeys.heartbeats,
    tape: redisKeys.tape,
  };
  const waited = await Promise.all(
    Object.entries(streams).map(async ([what, stream]) => {
      const reader = { stream, group: INGEST_GROUP, consumer: "doctor" };
      return { what, ms: (await oldestWaitingMs(redis, reader)) ?? 0 };
    }),
  );
  const late = waited.filter(({ ms }) => ms >= LATE_MS);
  if (late.length === 0)
    return [ok("ingest", "counts, heartbeats and tape are taken as they come")];
  return late.map(({ what, ms }) =>
    (ms >= LEFT_MS ? fail : warn)(
      "ingest",
      `${what} wait for ${seconds(ms)} to be taken: reports and the fleet page are that old`,
      "Start a worker, or one more if they all are busy.",
    ),
  );
}

function callerOf(actor: Actor): Diagnosis["caller"] {
  const { type, name } = actor;
  switch (actor.type) {
    case "user":
      return { type, name, may: [...permissionsOfRole(actor.role)] };
    case "token":
      return { type, name, may: [...permissionsOfScopes(actor.scopes)] };
    case "system":
      return { type, name, may: [...permissionsOfRole("admin")] };
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
