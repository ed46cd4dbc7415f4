import { z } from "zod";

export const DIAGNOSIS_LEVELS = ["ok", "warn", "fail"] as const;

/** One thing that was looked at. */
export const DiagnosisLineSchema = z.object({
  /** postgres, migrations, redis, snapshot, worker, ingest, gateways, clocks; the command adds its own. */
  check: z.string(),
  level: z.enum(DIAGNOSIS_LEVELS),
  says: z.string(),
  /** What to do about it; null where nothing is. */
  todo: z.string().nullable(),
});

export type DiagnosisLine = z.output<typeof DiagnosisLineSchema>;

/** GET /diagnosis: what the console finds when it looks around. Nothing is changed. */
export const DiagnosisSchema = z.object({
  /** Who asked, and what they may do. */
  caller: z.object({ type: z.string(), name: z.string(), may: z.array(z.string()) }),
  lines: z.array(DiagnosisLineSchema),
});

export type Diagnosis = z.output<typeof DiagnosisSchema>;

export function ok(check: string, says: string): DiagnosisLine {
  return { check, level: "ok", says, todo: null };
}

export function warn(check: string, says: string, todo: string): DiagnosisLine {
  return { check, level: "warn", says, todo };
}

export function fail(check: string, says: string, todo: string): DiagnosisLine {
  return { check, level: "fail", says, todo };
}
