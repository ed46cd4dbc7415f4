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
  retryAfterSeconds: number | null;
};

export function hitRow({ at, gatewayId, mode, ...row }: Row): HitRow {
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
    retryAfterSeconds,
  };
}
