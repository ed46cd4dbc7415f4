import { z } from "zod";

/** GET /health: 200 once Postgres and a version are there, else 503 with the same body. */
export const HealthSchema = z.object({
  status: z.enum(["ok", "degraded", "unavailable"]),
  postgres: z.enum(["ok", "unavailable"]),
  redis: z.enum(["ok", "unavailable"]),
  /** Number of the live version; null before the first. */
  version: z.int().nullable(),
});

export type Health = z.output<typeof HealthSchema>;
