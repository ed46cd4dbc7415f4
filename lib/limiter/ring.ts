import type { Redis } from "ioredis";
import { createRendezvous } from "@/lib/core/rendezvous";
import type { Router } from "./router";
import { createShard, type ShardOptions } from "./shard";

export type RingNode = {
  /** Places are by this, not by address: a node may move to another machine. */
  name: string;
  redis: Redis;
};

/** Independent servers, each with its share of the principals. A dead one's are decided locally, not moved. */
export function createRing(nodes: readonly RingNode[], options: ShardOptions): Router {
  const shards = nodes.map(({ name, redis }) => createShard({ ...options, name, redis }));
  const placeOf = createRendezvous(nodes.map(({ name }) => name));
  return {
    placeOf,
    memberAt: (place) => {
      const shard = shards[place];
      if (shard === undefined) throw new RangeError(`place must be 0..${shards.length - 1}`);
      return shard;
    },
    shards: () => shards,
    close: () => {
      for (const shard of shards) shard.close();
    },
  };
}
