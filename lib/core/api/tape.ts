import { z } from "zod";
import { CountSchema, InstantSchema, instantInput } from "./common";

/** GET /tape. Default: the last 24 h. */
export const TapeQuerySchema = z.strictObject({
  from: instantInput("from").optional(),
  to: instantInput("to").optional(),
});

/** What there is to run a backtest on. */
export const TapeSchema = z.object({
  /** As the live version has it. */
  enabled: z.boolean(),
  percent: z.number(),
  keptDays: z.int(),
  from: InstantSchema,
  to: InstantSchema,
  /** Of the requests in the interval; null without one. */
  firstAt: InstantSchema.nullable(),
  lastAt: InstantSchema.nullable(),
  blocks: CountSchema,
  requests: CountSchema,
  /** With a request in the interval, by whole hours. */
  clients: CountSchema,
  bytes: CountSchema,
  /** Of clients on tape, requests that gateways did not keep: beyond a client's cap, or more than they could send. */
  dropped: CountSchema,
  /** Blocks that were lost on the way: gaps of gateways' sequences. */
  missingBlocks: CountSchema,
  /** The smallest share of the clients in percent: those are on tape throughout. Null without a block. */
  sampling: z.number().nullable(),
  /** By share, where it was changed in between. */
  shares: z.array(z.object({ percent: z.number(), blocks: CountSchema, requests: CountSchema })),
  gateways: z.array(
    z.object({
      id: z.string(),
      requests: CountSchema,
      dropped: CountSchema,
      missingBlocks: CountSchema,
      firstAt: InstantSchema,
      lastAt: InstantSchema,
    }),
  ),
  stepSeconds: z.int().min(1),
  series: z.array(z.object({ t: InstantSchema, requests: CountSchema })),
});

export type TapeOverview = z.output<typeof TapeSchema>;
