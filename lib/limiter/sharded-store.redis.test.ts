import { Redis } from "ioredis";
import type { CheckRequest, CheckResult } from "@/lib/core/check";
import { slotOf } from "@/lib/core/cluster-slot";
import { decodeRecords } from "@/lib/core/record";
import { createRendezvous } from "@/lib/core/rendezvous";
import { startRedis } from "@/lib/testing/redis";
import { startRedisCluster } from "@/lib/testing/redis-cluster";
import { groupRules, takeAll } from "./groups";
import { askPlace, type Member, merge, type Places, refundOf } from "./places";
import { createRedisStore } from "./redis-store";
import type { Store } from "./store";
import { describeStore, type StoreUnderTest } from "./store-contract";

type Server = { port: number; stop(): Promise<void> };

/** The groups' protocol over bare stores, as the limiter runs it over shards. */
function checkOver(places: Places<Member>) {
  return async (request: CheckRequest): Promise<CheckResult> => {
    if (request.rules.length === 0) return places.memberAt(0).ask(request, "usual");
    const groups = groupRules(request.rules, places.placeOf);
    const refunds: Promise<unknown>[] = [];
    const { taken } = await takeAll(groups, {
      take: ({ place, rules }) => askPlace(places, place, { ...request, rules }),
      giveBack: (rules, { group, result }) => {
        const refund = { ...request, rules: refundOf(rules, result) };
        refunds.push(askPlace(places, group.place, refund));
      },
    });
    await Promise.all(refunds);
    return merge(request.rules, taken);
  };
}

async function openOver(
  ports: readonly number[],
  shardOf: (key: string) => number,
  isCluster: boolean,
): Promise<Omit<StoreUnderTest, "close"> & { disconnect(): void }> {
  let timeUs = 0;
  const clients = ports.map((port) => new Redis({ port, host: "127.0.0.1" }));
  const stores = clients.map((redis) =>
    createRedisStore({ redis, testTimeUs: () => timeUs, ...(isCluster ? { slotOf } : {}) }),
  );
  const at = <T>(list: readonly T[], key: string): T => list[shardOf(key)] as T;
  const members = stores.map(
    (store): Member => ({
      ask: (request, way) =>
        way === "usual" ? store.check(request) : store.checkAlone(request, way === "asking"),
    }),
  );
  const placeOf = isCluster ? slotOf : shardOf;
  const shardOfSlot = (slot: number) => Math.floor((slot * ports.length) / 16_384);
  const memberAt = (place: number) => members[isCluster ? shardOfSlot(place) : place] as Member;
  const store: Store = { check: checkOver({ placeOf, memberAt }), close: async () => {} };
  return {
    store,
    setTimeUs: (value) => {
      timeUs = value;
    },
    recordsOf: async (key) =>
      decodeRecords((await at(clients, key).getBuffer(key)) ?? new Uint8Array()),
    disconnect: () => {
      for (const client of clients) client.disconnect();
    },
  };
}

describeStore("a ring of Redis servers", async () => {
  const servers: Server[] = await Promise.all(Array.from({ length: 3 }, () => startRedis()));
  const placeOf = createRendezvous(["a", "b", "c"]);
  const ports = servers.map(({ port }) => port);
  const { disconnect, ...under } = await openOver(ports, placeOf, false);
  return {
    ...under,
    close: async () => {
      disconnect();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
});

describeStore("a Redis Cluster", async () => {
  const cluster = await startRedisCluster();
  const ports = cluster.primaries.map(({ port }) => port);
  const shardOf = (key: string) => Math.floor((slotOf(key) * ports.length) / 16_384);
  const { disconnect, ...under } = await openOver(ports, shardOf, true);
  return {
    ...under,
    close: async () => {
      disconnect();
      await cluster.stop();
    },
  };
});
