import type { Loosened } from "@/lib/core/client-answer";
import { LIVE_MS } from "@/lib/core/heartbeat";
import type { Reader } from "@/lib/db/client";
import { actorColumn } from "@/lib/db/json";

/** What keeps enforced rules from refusing as they say: stops in force, and gateways that limit by their own share. */
export async function findLoosened(reader: Reader, nowMs: number): Promise<Loosened> {
  const [stops, local] = await Promise.all([
    reader.enforcementStop.findMany({
      where: { endedAt: null },
      orderBy: { createdAt: "desc" },
      select: { rules: true, actor: true, reason: true },
    }),
    reader.gateway.findMany({
      where: { mode: "local", drainedAt: null, lastSeenAt: { gt: new Date(nowMs - LIVE_MS) } },
      orderBy: { id: "asc" },
      select: { id: true },
    }),
  ]);
  return {
    stops: stops.map(({ rules, actor, reason }) => ({
      rules,
      words: `${actorColumn(actor).name} stopped enforcing it: ${reason}`,
    })),
    localGateways: local.map(({ id }) => id),
  };
}
