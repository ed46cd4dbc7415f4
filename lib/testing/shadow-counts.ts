import { getRule } from "../control";
import type { TestControl } from "./control";

type Hit = { client: string; plan: string };

/** What two gateways counted of a live rule in shadow, in each minute of the last three hours and more; each hit is one minute ago. */
export async function countInShadow(
  { control, ctx }: TestControl,
  {
    id,
    requestsPerMinute,
    hits = [],
  }: { id: string; requestsPerMinute: number; hits?: readonly Hit[] },
): Promise<void> {
  const { db, clock } = control;
  const { revision } = await getRule(ctx, { id });
  const minute = Math.floor(clock.nowMs() / 60_000) * 60_000;
  const minutes = Array.from({ length: 200 }, (_, i) => new Date(minute - i * 60_000));
  const gateways = ["gw-1", "gw-2"];
  await db.gateway.createMany({
    data: gateways.map((gateway) => ({
      id: gateway,
      boot: "boot-000",
      firstSeenAt: new Date(minute - 86_400_000 * 2),
      lastSeenAt: new Date(clock.nowMs()),
      mode: "shared",
      heartbeat: {},
    })),
    skipDuplicates: true,
  });
  await db.gatewayMinute.createMany({
    data: minutes.flatMap((at) =>
      gateways.map((gatewayId) => ({
        minute: at,
        gatewayId,
        requests: 100,
        refused: 0,
        local: 0,
        unchecked: 0,
        batches: 60,
        droppedRequests: 0,
        droppedClients: 0,
        droppedHits: 0,
      })),
    ),
    skipDuplicates: true,
  });
  const counted = { ruleId: id, revision, mode: "shadow", lane: "live" };
  await db.countMinute.createMany({
    data: minutes.map((at) => ({
      ...counted,
      minute: at,
      plan: "free",
      route: "other",
      requests: requestsPerMinute,
      rejections: 1,
      newly: 1,
      kept: 1,
    })),
  });
  await db.clientMinute.createMany({
    data: hits.map((hit) => ({
      ...counted,
      ...hit,
      minute: new Date(minute - 60_000),
      requests: 10,
      rejections: 2,
      newly: 1,
    })),
  });
}
