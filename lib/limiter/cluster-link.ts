import type { Redis } from "ioredis";

/** A primary of a cluster. */
export type ClusterNode = {
  /** `host:port`. */
  readonly name: string;
  readonly redis: Redis;
};

/** Who owns which of a cluster's slots, as far as it is known, with a connection to each primary. */
export type ClusterLink = {
  /** Undefined while nobody is known to. */
  ownerOf(slot: number): ClusterNode | undefined;
  /** By the address in a redirection that `by` gave, connected to if need be; undefined when that fails. */
  reach(address: string, by: ClusterNode): ClusterNode | Promise<ClusterNode | undefined>;
  nodes(): readonly ClusterNode[];
  /** Why some slot has no owner; null when each has one. */
  error(): string | null;
  /** A redirection said so. */
  moved(slot: number, to: ClusterNode): void;
  /** Something does not fit: look soon who owns what. */
  refresh(): void;
  /** One listener, told after nodes came or went, or `error` changed. */
  onChange(listener: () => void): void;
};
