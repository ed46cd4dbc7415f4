import { z } from "zod";
import { DirectoryPositionSchema } from "./directory";
import { StopEnforcingSchema } from "./stop-enforcing";
import { VersionIdSchema } from "./version";

export const HEARTBEAT_INTERVAL_MS = 5_000;
/** *live* = heard within this. */
export const LIVE_MS = 15_000;
/** *silent* = heard within this, neither drained nor dismissed. */
export const SILENT_MS = 24 * 3600_000;

export const GatewayIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, {
  error: "a gateway id is 1..128 letters, digits, dots, hyphens and underscores",
});

export const RULES_SOURCES = ["push", "poll", "http", "file"] as const;

/** What a gateway says of itself: every few seconds, and at once after it applied or refused a version. */
export const HeartbeatSchema = z.strictObject({
  schema: z.literal(1),
  environment: z.string().min(1),
  gateway: GatewayIdSchema,
  /** New at each process start. */
  boot: z.string().min(8).max(64),
  atMs: z.int(),
  startedAtMs: z.int(),
  build: z.string().max(64),
  /** The version in force, after the swap; null before the first. */
  applied: VersionIdSchema.extend({
    hash: z.string(),
    appliedAtMs: z.int(),
    source: z.enum(RULES_SOURCES),
  }).nullable(),
  /** The newest version refused, and why. */
  refused: VersionIdSchema.extend({ reason: z.string().max(1000) }).nullable(),
  /** Ms since the version was last compared with a source that answered. */
  checkedAgoMs: z.int().min(0).nullable(),
  directory: DirectoryPositionSchema.extend({ complete: z.boolean() }).nullable(),
  /** `shared` = Redis decides, `local` = this gateway's own share of the limits. */
  mode: z.enum(["shared", "local"]),
  modeSinceMs: z.int(),
  error: z.string().max(1000).nullable(),
  /** Told only while it is so, as an older console takes no heartbeat with it. */
  stopEnforcing: StopEnforcingSchema.nullish(),
  /** Requests in the last whole second before `atMs`. */
  requestsPerSecond: z.number().min(0),
  /** Redis clock minus this gateway's wall clock; null before the first answer. */
  clockOffsetMs: z.number().nullable(),
  state: z.enum(["serving", "draining", "drained"]),
  features: z.array(z.string()),
});

export type Heartbeat = z.output<typeof HeartbeatSchema>;

/** What a gateway divides its fallback limits by: live + silent, at least 1. */
export const FleetSizeSchema = z.strictObject({
  live: z.int().min(0),
  silent: z.int().min(0),
});

export type FleetSize = z.output<typeof FleetSizeSchema>;
