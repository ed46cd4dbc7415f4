import { z } from "zod";
import type { RuleOutcome } from "./check";
import { GatewayIdSchema } from "./heartbeat";

/** Clients beyond the per-rule cap of a gateway and minute are summed under this id. */
export const OTHER_CLIENTS = "other";
/** The route of a path that fits no template. */
export const OTHER_ROUTE = "other";
export const CLIENT_ROWS_MAX = 1000;

const count = z.int().min(0);
/** A rule id, or the product's own `_deny`, `_flood`. */
const ruleId = z.string().min(1).max(64);
const CountedModeSchema = z.enum(["shadow", "enforce"]);
/** `live` or `candidate`: which revision of the rule was counted. */
const LaneSchema = z.enum(["live", "candidate"]);

const shared = {
  rule: ruleId,
  revision: z.int().min(0),
  mode: CountedModeSchema,
  lane: LaneSchema,
  plan: z.string().min(1).max(64),
};

/** One second of one rule, plan and route. `requests` are those the rule matched. */
export const CountRowSchema = z.strictObject({
  /** Whole Unix seconds; the bounds (2001..2286) refuse another unit. */
  second: z.int().min(1_000_000_000).max(9_999_999_999),
  ...shared,
  route: z.string().min(1).max(300),
  requests: count,
  /** Refused by this rule: really (enforce) or in its own world (shadow). */
  rejections: count,
  /**
   * Of these, the requests whose answer another revision would turn. shadow: they passed today, so what enforcing would
   * add. enforce: its candidate would have let them pass, and so every other rule; 0 without a candidate.
   */
  newly: count,
});

/** One client's minute under one rule, only if it had a hit in that minute. */
export const ClientRowSchema = z.strictObject({
  /** Whole Unix minutes (Unix seconds / 60); the bounds (2001..2286) refuse another unit. */
  minute: z.int().min(16_666_666).max(166_666_666),
  ...shared,
  client: z.string().min(1).max(200),
  requests: count,
  rejections: count,
  newly: count,
});

/** One hit: a rejection, real or would-be. */
export const HitSchema = z.strictObject({
  atMs: z.int(),
  requestId: z.string().min(1).max(128),
  ...shared,
  client: z.string().min(1).max(200),
  method: z.string().max(16),
  route: z.string().min(1).max(300),
  epoch: z.int(),
  version: z.int(),
  /** Null when waiting does not help (cost above burst). */
  retryAfterSeconds: z.int().min(1).nullable(),
});

export type CountRow = z.output<typeof CountRowSchema>;
export type ClientRow = z.output<typeof ClientRowSchema>;
export type Hit = z.output<typeof HitSchema>;
export type Lane = z.output<typeof LaneSchema>;
export type CountedMode = z.output<typeof CountedModeSchema>;

/** One revision of a rule, as counts name it. */
export type CountedRule = {
  id: string;
  revision: number;
  mode: CountedMode;
  lane: Lane;
  /** Whether a candidate runs beside it. */
  hasCandidate?: boolean;
};
/** Of an outcome, what counts look at. `unasked`: a rule on another shard that nobody asked. */
export type CountedOutcome = Pick<RuleOutcome, "allowed" | "resetMs" | "retryAfterMs"> & {
  unasked?: true;
};

/**
 * Whether an outcome says something to count. A rule that is not asked since the request is refused anyway has met it
 * and not hit it, as one that a refusal from memory leaves unasked; one whose answer was lost says nothing.
 */
export function isCounted(outcome: CountedOutcome, verdict: "allowed" | "refused"): boolean {
  return outcome.unasked !== true || verdict === "refused";
}

/**
 * What a gateway counted in one flush (a second). Stored once: (gateway, boot, sequence) is unique.
 * All figures are deltas; several batches may carry the same second, minute and client.
 */
export const CountBatchSchema = z.strictObject({
  schema: z.literal(1),
  environment: z.string().min(1),
  gateway: GatewayIdSchema,
  boot: z.string().min(8).max(64),
  /** From 1, without gaps, per boot. */
  sequence: z.int().min(1),
  fromMs: z.int(),
  toMs: z.int(),
  counts: z.array(CountRowSchema).max(50_000),
  clients: z.array(ClientRowSchema).max(50_000),
  hits: z.array(HitSchema).max(5_000),
  /** Ids of overrides that decided something, each named once a minute at most. Left out when there are none. */
  overrides: z.array(z.string().min(1).max(64)).max(1_000).optional(),
  /** Ids of keys that were used, each named once an hour at most. Left out when there are none. */
  keys: z.array(z.string().min(1).max(64)).max(1_000).optional(),
  traffic: z.strictObject({
    requests: count,
    refused: count,
    /** Decided by local buckets while Redis was away. */
    local: count,
    /** Allowed or refused by failMode without any bucket. */
    unchecked: count,
  }),
  /** What this gateway could not keep or send since the last batch. */
  dropped: z.strictObject({ requests: count, clients: count, hits: count }),
});

export type CountBatch = z.output<typeof CountBatchSchema>;
