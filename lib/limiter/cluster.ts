import { setTimeout as sleep } from "node:timers/promises";
import { slotOf } from "@/lib/core/cluster-slot";
import { createAbsentShard } from "./absent-shard";
import type { ClusterLink, ClusterNode } from "./cluster-link";
import { redirectOf } from "./redirect";
import type { Router } from "./router";
import { createShard, type Shard, type ShardOptions } from "./shard";
import { stateKey } from "./state-key";

/** A primary that is one no more may still answer what it was asked. */
const RETIRE_MS = 1_000;
/** A node with few slots needs many tries until a probe's key falls into one; about 0.2 µs each. */
const PROBE_TRIES = 100_000;

/** A shard for each primary. A place is a slot, since one call may name keys of only one. */
export function createCluster(link: ClusterLink, options: ShardOptions): Router {
  const shards = new Map<ClusterNode, Shard>();
  const nodes = new WeakMap<Shard, ClusterNode>();
  const absent = createAbsentShard(options);
  const retiring = new Map<Shard, NodeJS.Timeout>();

  function open(node: ClusterNode): Shard {
    const probeKey = createProbeKey(options.environment, (slot) => link.ownerOf(slot) === node);
    const shard = createShard({
      ...options,
      name: node.name,
      redis: node.redis,
      cluster: {
        slotOf,
        probeKey,
        onDoubt: link.refresh,
      },
    });
    shards.set(node, shard);
    nodes.set(shard, node);
    return shard;
  }

  function retire(node: ClusterNode, shard: Shard): void {
    shards.delete(node);
    const timer = setTimeout(() => {
      retiring.delete(shard);
      shard.close();
    }, RETIRE_MS);
    timer.unref();
    retiring.set(shard, timer);
  }

  function follow(): void {
    const present = new Set(link.nodes());
    for (const [node, shard] of shards) if (!present.has(node)) retire(node, shard);
    for (const node of present) if (!shards.has(node)) open(node);
    absent.setError(link.error());
  }

  /** Connecting to a new primary mostly takes less; whoever cannot wait is decided locally. */
  async function withinDeadline(
    reached: ReturnType<ClusterLink["reach"]>,
  ): Promise<ClusterNode | undefined> {
    if (!(reached instanceof Promise)) return reached;
    const late = sleep(options.deadlineMs, undefined, { ref: false });
    const node = await Promise.race([reached, late]);
    return node;
  }

  link.onChange(() => {
    follow();
    options.onModeChange();
  });
  follow();

  return {
    placeOf: slotOf,
    memberAt: (slot) => {
      const node = link.ownerOf(slot);
      return (node && shards.get(node)) ?? absent;
    },
    follow: async (slot, member, result) => {
      const redirect = redirectOf(result);
      const by = nodes.get(member);
      if (redirect === undefined || by === undefined) return undefined;
      if (redirect.kind === "again") return "split";
      const node = await withinDeadline(link.reach(redirect.address, by));
      const shard = node && shards.get(node);
      if (node === undefined || shard === undefined) return undefined;
      if (redirect.kind === "ask") return { member: shard, way: "asking" };
      link.moved(slot, node);
      return { member: shard, way: "usual" };
    },
    shards: () => [...shards.values(), absent],
    close: () => {
      for (const timer of retiring.values()) clearTimeout(timer);
      for (const shard of [...shards.values(), ...retiring.keys()]) shard.close();
    },
  };
}

/** Gives a key of a slot that the node owns; the same again as long as it does. */
function createProbeKey(environment: string, isOwn: (slot: number) => boolean): () => string {
  const keyOf = (number: number) => stateKey(environment, `_probe:${number}`);
  let last = 0;
  return () => {
    for (let tried = 0; tried < PROBE_TRIES && !isOwn(slotOf(keyOf(last))); tried += 1) last += 1;
    return keyOf(last);
  };
}
