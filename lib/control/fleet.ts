import { type FleetSize, LIVE_MS, SILENT_MS } from "@/lib/core/heartbeat";
import type { Reader } from "@/lib/db/client";

export type GatewayState = "live" | "silent" | "drained" | "dismissed" | "gone";

type Seen = { lastSeenAt: Date; drainedAt: Date | null; dismissedAt: Date | null };

/** *live* = heard within 15 s; *silent* = within 24 h, neither drained nor dismissed; *gone* = longer ago. */
export function gatewayState(
  { lastSeenAt, drainedAt, dismissedAt }: Seen,
  nowMs: number,
): GatewayState {
  if (dismissedAt !== null) return "dismissed";
  if (drainedAt !== null) return "drained";
  const ageMs = nowMs - lastSeenAt.getTime();
  if (ageMs <= LIVE_MS) return "live";
  return ageMs <= SILENT_MS ? "silent" : "gone";
}

/** What gateways divide their fallback limits by. */
export async function measureFleet(db: Reader, nowMs: number): Promise<FleetSize> {
  const gateways = await db.gateway.findMany({
    select: { lastSeenAt: true, drainedAt: true, dismissedAt: true },
    where: { lastSeenAt: { gte: new Date(nowMs - SILENT_MS) } },
  });
  const states = gateways.map((gateway) => gatewayState(gateway, nowMs));
  return {
    live: states.filter((state) => state === "live").length,
    silent: states.filter((state) => state === "silent").length,
  };
}
