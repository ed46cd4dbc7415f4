import { z } from "zod";
import { GatewayIdSchema } from "./heartbeat";
import { TAPE_REQUESTS_MAX } from "./tape-block";

/** Deflated; a block of a gateway's size that is all different texts has a tenth of it. */
export const TAPE_BYTES_MAX = 1_048_576;

const count = z.int().min(0);

/** A block of tape on its way to Postgres. Stored once: (gateway, boot, sequence) is unique. */
export const TapeEntrySchema = z.strictObject({
  schema: z.literal(1),
  environment: z.string().min(1),
  gateway: GatewayIdSchema,
  boot: z.string().min(8).max(64),
  /** From 1, without gaps, per boot. */
  sequence: z.int().min(1).max(2_147_483_647),
  fromMs: z.int(),
  toMs: z.int(),
  /** Of the clients, the share that was on tape throughout the block. */
  percent: z.number().gt(0).max(100),
  requests: z.int().min(0).max(TAPE_REQUESTS_MAX),
  /** Of clients on tape, requests that are in no block since the last one. */
  dropped: count,
  /** encodeTapeBlock, raw deflate, base64. */
  bytes: z.base64().max(Math.ceil(TAPE_BYTES_MAX / 3) * 4),
});

export type TapeEntry = z.output<typeof TapeEntrySchema>;
