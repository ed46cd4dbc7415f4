import { z } from "zod";

export const SEVERITIES = ["info", "warning", "critical"] as const;

export const ALERT_KINDS = [
  "gateway-degraded",
  "gateway-refused",
  "gateway-silent",
  "gateway-stopped",
  "guardrail-held",
  "guardrail-undone",
  "convergence-late",
  "ingest-behind",
  "no-data",
  "redis-down",
  "ramp-held",
  "ramp-stopped",
  "schedule-failed",
] as const;

/** What a gateway tells the console over HTTP when Redis cannot carry it. One trouble of a gateway is one `kind`. */
export const GatewayAlertSchema = z.strictObject({
  kind: z.enum(ALERT_KINDS),
  state: z.enum(["raised", "resolved"]),
  atMs: z.int(),
  message: z.string().min(1).max(1000),
});

export type AlertKind = (typeof ALERT_KINDS)[number];
export type GatewayAlert = z.output<typeof GatewayAlertSchema>;
