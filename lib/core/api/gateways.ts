import { z } from "zod";
import { GatewayAlertSchema } from "../alert";
import { CountBatchSchema } from "../counts";
import { FleetSizeSchema, HeartbeatSchema, RULES_SOURCES } from "../heartbeat";
import { StopEnforcingSchema } from "../stop-enforcing";
import { VersionIdSchema } from "../version";
import { CountSchema, InstantSchema, listOf } from "./common";
import { ConvergenceSummarySchema } from "./versions";

/** GET /gateways. A vanished gateway stays until it was silent for 24 h, or is dismissed. */
export const GatewayRowSchema = z.object({
  id: z.string(),
  /** live = heard within 15 s; silent = within 24 h, neither drained nor dismissed. */
  state: z.enum(["live", "silent", "drained", "dismissed", "gone"]),
  /** What it applied; null before its first version. */
  version: z.int().nullable(),
  epoch: z.int().nullable(),
  hash: z.string().nullable(),
  appliedAt: InstantSchema.nullable(),
  source: z.enum(RULES_SOURCES).nullable(),
  /** Versions behind the current one; null when unknown. */
  behind: CountSchema.nullable(),
  refused: z.object({ epoch: z.int(), version: z.int(), reason: z.string() }).nullable(),
  /** shared = Redis decides; local = its own share of the limits. */
  mode: z.enum(["shared", "local"]),
  modeSince: InstantSchema,
  error: z.string().nullable(),
  /** What its own machine tells it not to enforce. */
  stopEnforcing: StopEnforcingSchema.omit({ sinceMs: true })
    .extend({ since: InstantSchema })
    .nullable(),
  checkedAgoMs: CountSchema.nullable(),
  directory: z.object({ seq: CountSchema, complete: z.boolean(), behind: CountSchema }).nullable(),
  requestsPerSecond: z.number().min(0),
  clockOffsetMs: z.number().nullable(),
  build: z.string(),
  features: z.array(z.string()),
  startedAt: InstantSchema,
  firstSeenAt: InstantSchema,
  lastSeenAt: InstantSchema,
});

export const GatewayListSchema = listOf(GatewayRowSchema).extend({
  current: VersionIdSchema,
  convergence: ConvergenceSummarySchema,
  asOf: InstantSchema,
});

/** POST /gateways/{id}/report, scope gateway: what a gateway says over HTTP when Redis cannot carry it. */
export const GatewayReportSchema = z
  .strictObject({
    heartbeat: HeartbeatSchema.optional(),
    alerts: z.array(GatewayAlertSchema).max(100).default([]),
    /** Counts that Redis did not take, or perhaps did: stored once by (gateway, boot, sequence). */
    batches: z.array(CountBatchSchema).max(60).default([]),
  })
  .refine(
    ({ heartbeat, alerts, batches }) =>
      heartbeat !== undefined || alerts.length > 0 || batches.length > 0,
    { error: "a report needs a heartbeat, an alert or a batch" },
  );

/** Its answer tells the current version and the fleet's size, so that a gateway without Redis learns of them. */
export const GatewayReportResultSchema = z.object({
  current: VersionIdSchema,
  fleet: FleetSizeSchema.optional(),
});

export const DismissRequestSchema = z.strictObject({
  reason: z.string().trim().max(500).optional(),
});

export type GatewayRow = z.output<typeof GatewayRowSchema>;
export type GatewayList = z.output<typeof GatewayListSchema>;
export type GatewayReport = z.output<typeof GatewayReportSchema>;
export type GatewayReportResult = z.output<typeof GatewayReportResultSchema>;
