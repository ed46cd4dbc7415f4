import type { Convergence, ConvergenceSummary } from "@/lib/core/api/versions";
import { SILENT_MS } from "@/lib/core/heartbeat";
import { compareVersions, type VersionId } from "@/lib/core/version";
import type { Reader } from "@/lib/db/client";
import { type GatewayState, gatewayState } from "./fleet";

type GatewayProgress = Convergence["gateways"][number];

/** A gateway as its row tells it, with what it is now. */
export type FleetMember = {
  id: string;
  state: GatewayState;
  applied: VersionId | null;
  lastSeenAt: Date;
};

/** Every gateway that counts: live, or silent. */
export async function fleetNow(reader: Reader, nowMs: number): Promise<FleetMember[]> {
  const rows = await reader.gateway.findMany({
    where: { lastSeenAt: { gte: new Date(nowMs - SILENT_MS) } },
    orderBy: { id: "asc" },
    select: {
      id: true,
      lastSeenAt: true,
      drainedAt: true,
      dismissedAt: true,
      appliedEpoch: true,
      appliedVersion: true,
    },
  });
  return rows
    .map((row) => ({
      id: row.id,
      state: gatewayState(row, nowMs),
      applied:
        row.appliedEpoch === null || row.appliedVersion === null
          ? null
          : { epoch: row.appliedEpoch, version: row.appliedVersion },
      lastSeenAt: row.lastSeenAt,
    }))
    .filter(({ state }) => state === "live" || state === "silent");
}

type Target = VersionId & { createdAt: Date };

/** How far the version is in the fleet as it is now. A gateway on a newer one has passed it. */
export async function convergenceOf(
  reader: Reader,
  target: Target,
  fleet: readonly FleetMember[],
): Promise<ConvergenceSummary & { gateways: GatewayProgress[] }> {
  const applies = await reader.gatewayApply.findMany({ where: { versionNumber: target.version } });
  const byGateway = new Map(applies.map((apply) => [apply.gatewayId, apply]));
  const gateways = fleet.map((member): GatewayProgress => {
    const apply = byGateway.get(member.id);
    const appliedAt = apply?.state === "applied" ? apply.at : null;
    const state = progressOf(member, target, apply?.state);
    return {
      id: member.id,
      version: member.applied?.version ?? null,
      appliedAt: appliedAt?.toISOString() ?? null,
      tookMs: appliedAt === null ? null : tookMs(target, appliedAt),
      state,
      reason: state === "refused" ? (apply?.reason ?? null) : null,
      lastSeenAt: member.lastSeenAt.toISOString(),
    };
  });
  return { ...summaryOf(gateways), gateways };
}

function progressOf(
  { state, applied }: FleetMember,
  target: VersionId,
  apply: string | undefined,
): GatewayProgress["state"] {
  if (state === "silent") return "silent";
  const order = applied === null ? -1 : compareVersions(applied, target);
  if (order === 0) return "applied";
  if (order > 0) return "superseded";
  return apply === "refused" ? "refused" : "pending";
}

/** "Applied on 39, 1 silent" is not converged, and neither is a fleet of none. */
function summaryOf(gateways: readonly GatewayProgress[]): ConvergenceSummary {
  const silent = gateways.filter(({ state }) => state === "silent").length;
  const live = gateways.length - silent;
  const passed = gateways.filter(({ state }) => state === "applied" || state === "superseded");
  const isOnAll = live > 0 && passed.length === live;
  const took = passed.flatMap((gateway) => gateway.tookMs ?? []);
  return {
    live,
    applied: passed.length,
    silent,
    converged: isOnAll && silent === 0,
    tookMs: isOnAll && took.length > 0 ? Math.max(...took) : null,
    ...percentiles(took),
  };
}

/** Of versions that are no longer live: the gateways that took them then, whatever became of those since. */
export async function pastConvergence(
  reader: Reader,
  targets: readonly Target[],
): Promise<Map<number, ConvergenceSummary>> {
  const rows = await reader.gatewayApply.findMany({
    where: { versionNumber: { in: targets.map(({ version }) => version) } },
  });
  return new Map(
    targets.map((target) => {
      const those = rows.filter(({ versionNumber }) => versionNumber === target.version);
      const applied = those.filter(({ state }) => state === "applied");
      const isOnAll = those.length > 0 && applied.length === those.length;
      return [
        target.version,
        {
          live: those.length,
          applied: applied.length,
          silent: 0,
          converged: isOnAll,
          tookMs: isOnAll ? Math.max(...applied.map(({ at }) => tookMs(target, at))) : null,
          ...percentiles(applied.map(({ at }) => tookMs(target, at))),
        },
      ];
    }),
  );
}

/** By the nearest rank: of few gateways, p99 is the slowest. */
function percentiles(took: readonly number[]): Pick<ConvergenceSummary, "p50Ms" | "p99Ms"> {
  const sorted = took.toSorted((a, b) => a - b);
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
  return { p50Ms: rank(0.5), p99Ms: rank(0.99) };
}

function tookMs({ createdAt }: Target, at: Date): number {
  return Math.max(0, at.getTime() - createdAt.getTime());
}
