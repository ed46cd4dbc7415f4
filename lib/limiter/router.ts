import type { Places } from "./places";
import type { Shard } from "./shard";

/** The shards of a limiter, and which of them holds what. */
export type Router = Places<Shard> & {
  shards(): readonly Shard[];
  close(): void;
};
