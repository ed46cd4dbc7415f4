import { z } from "zod";

const WorldSchema = z.object({
  environment: z.string(),
  redisUrl: z.string(),
  dataDir: z.string(),
  secrets: z.array(z.string()),
});

export const AskSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("gateway"), world: WorldSchema, id: z.string() }),
  z.object({ kind: z.literal("agents"), world: WorldSchema, ids: z.array(z.string()) }),
  z.object({ kind: z.literal("drive"), url: z.url(), concurrency: z.int(), ms: z.int() }),
]);

export const ToldSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("up") }),
  z.object({ kind: z.literal("listens"), url: z.string() }),
  z.object({ kind: z.literal("driven"), tookMs: z.array(z.number()) }),
  z.object({
    kind: z.literal("applied"),
    id: z.string(),
    version: z.int(),
    appliedAtMs: z.number(),
    longestMs: z.number(),
    pid: z.int(),
    /** Processor time of that process so far. */
    usedMs: z.number(),
  }),
]);

export type World = z.output<typeof WorldSchema>;
export type Ask = z.output<typeof AskSchema>;
export type Told = z.output<typeof ToldSchema>;
