import { z } from "zod";
import { textLine } from "../parse";
import { ModeSchema, RuleIdSchema } from "../rule";
import { CountSchema, InstantSchema, listOf } from "./common";
import { HitRowSchema } from "./hits";
import { OverrideRowSchema } from "./overrides";

const LaneSchema = z.enum(["live", "candidate"]);

/** GET /clients: whom a text may mean. */
export const ClientSearchQuerySchema = z.strictObject({
  /** A key's id or how it begins, a customer's id or name, an address, a request id. */
  q: z.string().trim().min(1, { error: "q must say whom to look for" }).max(200),
});

export const ClientFoundSchema = z.object({
  client: z.string(),
  name: z.string(),
  /** A key's first characters; empty for others. */
  prefix: z.string(),
  plan: z.string(),
  /** Of a key, whose it is; else null. */
  customer: z.string().nullable(),
  /** What of it fits. */
  by: z.enum(["key", "customer", "address", "request"]),
  /** The request that was looked for. */
  requestId: z.string().nullable(),
});

export const ClientSearchSchema = listOf(ClientFoundSchema);

export const ClientQuerySchema = z.strictObject({
  /** Speak of this request of the client instead of its last refusal. */
  request: z.string().trim().min(1).max(200).optional(),
});

const SinceSchema = z.object({
  kind: z.enum(["version", "override"]),
  /** A version's number, an override's id. */
  id: z.string(),
  at: InstantSchema,
  by: z.string(),
  /** `60 per 1m, enforce`; empty when there was nothing before. */
  before: z.string(),
});

const BucketSchema = z.object({
  rule: z.string(),
  name: z.string(),
  lane: LaneSchema,
  mode: ModeSchema,
  /** Who is counted in it: the client, its customer, `plan:free`, `global`. */
  principal: z.string(),
  isShared: z.boolean(),
  route: z.string().nullable(),
  /** `60 per 1m` */
  limit: z.string(),
  remaining: CountSchema,
  /** Until one whole token is there; 0 when it is. */
  resetMs: CountSchema,
  used: CountSchema,
  quota: CountSchema,
  /** Taken by gateways in advance: some of it may not be spent. */
  leased: CountSchema,
  isConcurrency: z.boolean(),
});

/** GET /clients/{id}: why was this one limited? Buckets are read, never charged. */
export const ClientDetailSchema = z.object({
  client: z.string(),
  plan: z.string(),
  customer: z.string().nullable(),
  name: z.string().nullable(),
  prefix: z.string(),
  /** A revoked key counts as nobody's. */
  isRevoked: z.boolean(),
  answer: z.object({
    /** Whether a refusal is what the sentence tells of. */
    limited: z.boolean(),
    /** For a support ticket. */
    sentence: z.string(),
    /** The rule that it speaks of. */
    rule: z.string().nullable(),
    requestId: z.string().nullable(),
  }),
  /** The entry of the lists that decides before any rule. */
  list: z.object({ list: z.enum(["allow", "deny", "flood"]), value: z.string() }).nullable(),
  overrides: z.array(OverrideRowSchema),
  rules: z.array(
    z.object({
      rule: z.string(),
      name: z.string(),
      lane: LaneSchema,
      mode: ModeSchema,
      /** always: every request of the client. some: those that fit. never: none. */
      applies: z.enum(["always", "some", "never"]),
      reason: z.string(),
      limit: z.string().nullable(),
      /** What last changed the rule's limit for this client. */
      since: SinceSchema.nullable(),
    }),
  ),
  /** Null when the counters cannot be read; `bucketsProblem` says why. */
  buckets: z.array(BucketSchema).nullable(),
  bucketsProblem: z.string().nullable(),
  /** Rules that count the client in buckets which cannot be named. */
  unread: z.array(z.object({ rule: z.string(), name: z.string(), why: z.string() })),
  /** The newest sampled hits over all rules. */
  decisions: z.array(HitRowSchema.extend({ rule: z.string() })),
});

export const ClientResetRequestSchema = z.strictObject({
  /** Only this rule's buckets; else those of all. */
  rule: RuleIdSchema.optional(),
  reason: textLine("reason", 500),
});

export const ClientResetSchema = z.object({
  client: z.string(),
  /** Rules whose buckets had something used, and are full now. */
  rules: z.array(z.string()),
  /** Whether gateways were told; else they forget by themselves within a second. */
  told: z.boolean(),
});

export type ClientSearch = z.output<typeof ClientSearchSchema>;
export type ClientFound = z.output<typeof ClientFoundSchema>;
export type ClientDetail = z.output<typeof ClientDetailSchema>;
export type ClientBucketRow = z.output<typeof BucketSchema>;
export type ClientReset = z.output<typeof ClientResetSchema>;
export type ClientResetRequest = z.input<typeof ClientResetRequestSchema>;
