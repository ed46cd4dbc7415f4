import { z } from "zod";
import { ClientIdSchema } from "./client-id";
import { AmountSchema } from "./limit";
import { slug } from "./parse";
import { PlanIdSchema } from "./plan";
import { RuleIdSchema } from "./rule";

export const KEY_HASH = /^[0-9a-f]{64}$/;

/**
 * One fact of the directory. The newest entry about a subject replaces the older one:
 * keys by `hash`, customers by `id`, overrides by `id`; `removed` forgets it.
 */
export const DirectoryEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("key"),
    /** HMAC-SHA256 of the key, hex; `keyId` names the secret that made it. */
    hash: z.string().regex(KEY_HASH),
    keyId: z.string().min(1),
    /** The client is `key:<id>`; several hashes may name one id (rotation). */
    id: slug("key id"),
    customer: slug("customer"),
    /** Epoch ms; gateways end it by themselves. Only of a hash that was rotated out. */
    expiresAtMs: z.int().min(0).optional(),
    removed: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal("customer"),
    id: slug("customer"),
    plan: PlanIdSchema,
    removed: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal("override"),
    id: slug("override id"),
    client: ClientIdSchema,
    rule: RuleIdSchema,
    limit: AmountSchema,
    /** Epoch ms; gateways end it by themselves. */
    expiresAtMs: z.int().min(0),
    removed: z.boolean().optional(),
  }),
]);

export type DirectoryEntry = z.output<typeof DirectoryEntrySchema>;

/** The directory's own rising sequence; gap-free within an epoch, so `seq + 1` is the only next delta. */
export const DirectoryPositionSchema = z.strictObject({
  epoch: z.int().min(1),
  seq: z.int().min(0),
});

export type DirectoryPosition = z.output<typeof DirectoryPositionSchema>;

/** One delta: what changed with one step of the sequence. */
export const DirectoryDeltaSchema = z.strictObject({
  epoch: z.int().min(1),
  seq: z.int().min(1),
  entries: z.array(DirectoryEntrySchema).min(1),
});

export type DirectoryDelta = z.output<typeof DirectoryDeltaSchema>;

/**
 * The first line of a directory as it is sent over HTTP and kept in a gateway's file; then come the lines of
 * directory-lines, then one that says how many bytes those were.
 */
export const DirectoryHeadSchema = z.object({
  format: z.literal("headgate-directory/1"),
  environment: z.string().min(1),
  epoch: z.int().min(1),
  seq: z.int().min(0),
  /** A guess of what comes, for which room is made at once. */
  expected: z.object({ keys: z.int().min(0), names: z.int().min(0) }),
});

export const DirectoryEndSchema = z.object({
  end: z.object({ bytes: z.int().min(0), crc32: z.int().min(0) }),
});

export type DirectoryHead = z.output<typeof DirectoryHeadSchema>;
export type DirectoryEnd = z.output<typeof DirectoryEndSchema>;
