import type { HitRow } from "@/lib/core/api/hits";

type Row = {
  at: Date;
  requestId: string;
  client: string;
  plan: string;
  method: string;
  route: string;
  gatewayId: string;
  version: number;
  revision: number;
  mode: string;
  lane: string;
  retryAfterSeconds: number | null;
};

export function hitRow({ at, gatewayId, mode, lane, ...row }: Row): HitRow {
  const { requestId, client, plan, method, route, version, revision, retryAfterSeconds } = row;
  return {
    at: at.toISOString(),
    requestId,
    client,
    plan,
    method,
    route,
    gateway: gatewayId,
    version,
    revision,
    mode: mode === "enforce" ? "enforce" : "shadow",
    lane: lane === "candidate" ? "candidate" : "live",
    retryAfterSeconds,
  };
}
