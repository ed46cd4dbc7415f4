import type { Redis } from "ioredis";
import type { Clock } from "@/lib/clock";
import type { Role, TokenScope } from "@/lib/core/access";
import type { Actor as ActorName } from "@/lib/core/api/common";
import type { SigningKey } from "@/lib/core/snapshot";
import type { Database } from "@/lib/db/client";
import type { Log } from "@/lib/log";
import type { RedisAddress } from "@/lib/redis/connect";
import type { ControlKeys } from "@/lib/redis/control-keys";
import type { Counters, StateRedis } from "@/lib/redis/counters";
import type { Auth } from "./auth";
import type { ChangeFeed } from "./change-feed";
import type { OidcSettings } from "./oidc-settings";

/** What the console's and the worker's configuration have in common, and what only the console's has. */
export type ControlConfig = {
  environment: string;
  databaseUrl: string;
  /** The first signs and hashes, all verify. */
  secrets: readonly [string, ...string[]];
  redis: {
    /** Where gateways keep counters. */
    state: StateRedis;
    control: { kind: "single"; node: RedisAddress } | { kind: "cluster"; nodes: RedisAddress[] };
    ca?: string;
  };
  /** Where browsers reach the console; without it nobody signs in here. */
  publicUrl?: string;
  gatewayToken?: string;
  bootstrapToken?: string;
  oidc?: OidcSettings;
  /** Of this build; without it nobody asks what is not applied. */
  migrationsFolder?: string;
  /** Webhooks may also go to addresses that are not of the public internet. */
  webhookAllowPrivate?: boolean;
};

/** One derived secret per root secret, the first of each is the one that signs and hashes. */
export type DerivedKeys = Record<
  "snapshot" | "apiKey" | "apiToken" | "session" | "webhook",
  readonly [SigningKey, ...SigningKey[]]
>;

export type Control = {
  db: Database;
  /** For snapshot, directory, streams; its commands fail at once while Redis is away. */
  redis: Redis;
  redisKeys: ControlKeys;
  /** Clients' buckets, connected to when first asked for. */
  counters(): Counters;
  /** What commits in this database tell, connected to when first asked for; one for all who listen here. */
  changes(): ChangeFeed;
  environment: string;
  keys: DerivedKeys;
  config: ControlConfig;
  clock: Clock;
  log: Log;
  /** better-auth, loaded when first asked for. Throws `unavailable` in a process without a public URL. */
  auth(): Promise<Auth>;
  /** The same with single sign-on, opened once its server answered: passwords do not depend on it. */
  sso(): Promise<Auth>;
  close(): Promise<void>;
};

export type Actor =
  | { type: "user"; id: string; name: string; role: Role }
  | { type: "token"; id: string; name: string; scopes: readonly TokenScope[] }
  | { type: "system"; id: string; name: string };

/** What every verb gets first. */
export type Ctx = Control & { actor: Actor };

/** The product itself: the first start, schedules, guardrails. */
export const SYSTEM: Actor = { type: "system", id: "headgate", name: "Headgate" };

/** Takes back what crosses its bounds, and nothing else. */
export const GUARDRAIL: Actor = { type: "system", id: "guardrail", name: "Guardrail" };

export function withActor(control: Control, actor: Actor): Ctx {
  return { ...control, actor };
}

/** As audit rows, versions and revisions keep it: without role and scope, which change. */
export function actorName({ type, id, name }: Actor): ActorName {
  return { type, id, name };
}
