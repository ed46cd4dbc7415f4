import { z } from "zod";
import { CalendarAmountSchema, ConcurrentAmountSchema, RateSchema } from "../limit";
import { oneOf, shown, textLine, wholeNumber } from "../parse";
import { RuleIdSchema, RuleSchema } from "../rule";
import { ActorSchema, CountSchema, InstantSchema, instantInput, listOf, pageQuery } from "./common";

export const BACKTEST_STATES = ["waiting", "running", "done", "failed", "cancelled"] as const;
export const BACKTEST_RULES_MAX = 100;
/** As it is sent, compressed or not. */
export const LOG_BYTES_MAX = 67_108_864;
/** Of one part, where a log comes in several. */
export const LOG_PART_MAX = 1_048_576;

const TapeSourceSchema = z.strictObject({
  kind: z.literal("tape"),
  /** Default: the last 24 h. */
  from: instantInput("from").optional(),
  to: instantInput("to").optional(),
});
const LogSourceSchema = z.strictObject({
  kind: z.literal("log"),
  /** Of an uploaded log. */
  log: textLine("log", 60),
});

/** POST /backtests: a ruleset, what of it is asked about, and the requests that it is run over. */
export const BacktestRequestSchema = z
  .strictObject({
    name: textLine("name", 120).optional(),
    /** What is live, or the caller's draft. */
    ruleset: oneOf("ruleset", ["live", "draft"]).default("live"),
    /** The rule that it is about; in mode off it is judged as in shadow. */
    rule: RuleIdSchema.optional(),
    /** Of `rule`: this revision in place of the ruleset's. */
    revision: wholeNumber("revision", 1, 2_147_483_647).optional(),
    /** Put into the ruleset, each in place of the one with its id. */
    rules: z
      .array(RuleSchema, { error: (issue) => `rules must be a list, got ${shown(issue.input)}` })
      .max(BACKTEST_RULES_MAX, { error: `rules must be at most ${BACKTEST_RULES_MAX}` })
      .optional(),
    source: z.discriminatedUnion("kind", [TapeSourceSchema, LogSourceSchema], {
      error: 'source must be {kind: "tape", from, to} or {kind: "log", log}',
    }),
    /** Decides as if the requests came so many times faster. */
    speed: z
      .number({
        error: (issue) => `speed must be a number 0.001..1000000, got ${shown(issue.input)}`,
      })
      .min(0.001, { error: ({ input }) => `speed must be at least 0.001, got ${shown(input)}` })
      .max(1_000_000, {
        error: ({ input }) => `speed must be at most 1000000, got ${shown(input)}`,
      })
      .default(1),
  })
  .refine(({ rule, revision }) => revision === undefined || rule !== undefined, {
    path: ["revision"],
    error: "revision needs the rule that it is of",
  });

const row = { requests: CountSchema, rejections: CountSchema };

/** Rejections: of a shadow rule or candidate those of requests that passed, so what enforcing would add. */
const figures = {
  ...row,
  share: z.number().min(0).max(1),
  clients: CountSchema,
  clientsRejected: CountSchema,
};

const BacktestFiguresSchema = z.object({
  ...figures,
  byPlan: z.array(
    z.object({ plan: z.string(), ...row, clients: CountSchema, clientsRejected: CountSchema }),
  ),
  topClients: z.array(z.object({ client: z.string(), plan: z.string(), ...row })),
  routes: z.array(z.object({ route: z.string(), ...row })),
  stepSeconds: z.int().min(1),
  series: z.array(z.object({ t: InstantSchema, ...row })),
  /** The five minutes with most rejections. */
  worst: z.object({ from: InstantSchema, to: InstantSchema, ...row }).nullable(),
});

const BacktestRuleRowSchema = z.object({
  rule: z.string(),
  lane: z.enum(["live", "candidate"]),
  mode: z.enum(["shadow", "enforce"]),
  ...figures,
  /** Of a shadow rule: requests that it and an enforced rule refuse. */
  alsoRefused: CountSchema,
});

const estimate = z.object({ ...row, clients: CountSchema, clientsRejected: CountSchema });
const percentiles = z.object({
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
});
const amount = z.union([RateSchema, CalendarAmountSchema, ConcurrentAmountSchema]);

/** What clients of a plan really ask of the rule, and a limit that leaves all but the very busiest alone. */
const PlanDemandSchema = z.object({
  plan: z.string(),
  limit: amount,
  windowSeconds: z.number(),
  /** What the rule counts by: mostly clients. */
  buckets: CountSchema,
  /** Over buckets, in tokens: the most in any such window, and the burst that would refuse nothing. */
  peaks: percentiles,
  needed: percentiles,
  /** As if no other rule refused anything. */
  estimate,
  proposed: z.object({ limit: amount, estimate }),
});

export const BacktestResultSchema = z.object({
  /** Of the requests; null without one. */
  from: InstantSchema.nullable(),
  to: InstantSchema.nullable(),
  /** Percent of the clients that the requests are of. Figures are of these, not scaled up. */
  sampling: z.number(),
  total: BacktestFiguresSchema,
  /** Of the rule that was asked about. */
  asked: BacktestFiguresSchema.nullable(),
  rules: z.array(BacktestRuleRowSchema),
  /** Of the rule that was asked about, by plan. */
  demand: z.array(PlanDemandSchema),
  /** Of the tape: requests that gateways refused then. */
  refusedThen: CountSchema.nullable(),
  lists: z.object({ allowed: CountSchema, denied: CountSchema }),
  order: z.object({ outOfOrder: CountSchema, tooLate: CountSchema }),
  unreadable: CountSchema,
  /** Of a log. */
  lines: z
    .object({
      read: CountSchema,
      parsed: CountSchema,
      broken: z.array(
        z.object({
          reason: z.string(),
          meaning: z.string(),
          count: CountSchema,
          /** The first one: its number, and the line without what may be secret. */
          line: z.int(),
          sample: z.string(),
        }),
      ),
      /** Why it was not read to its end. */
      problem: z.string().nullable(),
    })
    .nullable(),
  /** What the figures do not say, a sentence each. */
  notes: z.array(z.string()),
});

export const BacktestRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(BACKTEST_STATES),
  ruleset: z.enum(["live", "draft"]),
  /** The version that the ruleset stands on. */
  version: z.int(),
  rule: z.string().nullable(),
  revision: z.int().nullable(),
  /** Rules that were put in place of the ruleset's. */
  replaced: z.array(z.string()),
  source: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("tape"), from: InstantSchema, to: InstantSchema }),
    z.object({ kind: z.literal("log"), log: z.string(), name: z.string() }),
  ]),
  speed: z.number(),
  actor: ActorSchema,
  createdAt: InstantSchema,
  startedAt: InstantSchema.nullable(),
  doneAt: InstantSchema.nullable(),
  /** 0..1 */
  progress: z.number(),
  requests: CountSchema,
  /** Why it failed. */
  error: z.string().nullable(),
  expiresAt: InstantSchema,
});

export const BacktestSchema = BacktestRowSchema.extend({
  /** The rule that it is about, as it was judged. */
  judged: RuleSchema.nullable(),
  result: BacktestResultSchema.nullable(),
});

export const BacktestListSchema = listOf(BacktestRowSchema);
export const BacktestListQuerySchema = z.strictObject({
  ...pageQuery,
  rule: RuleIdSchema.optional(),
});

export const BacktestLogSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Bytes as they came. */
  size: CountSchema,
  complete: z.boolean(),
  actor: ActorSchema,
  createdAt: InstantSchema,
  expiresAt: InstantSchema,
});
export const BacktestLogListSchema = z.object({ items: z.array(BacktestLogSchema) });
export const BacktestLogQuerySchema = z.strictObject({
  /** What people call it, such as the file's name. */
  name: textLine("name", 120).default("access.log"),
});

export type BacktestAnswer = z.output<typeof BacktestSchema>;
export type BacktestRow = z.output<typeof BacktestRowSchema>;
export type BacktestList = z.output<typeof BacktestListSchema>;
export type BacktestAnswerResult = z.output<typeof BacktestResultSchema>;
export type BacktestAnswerFigures = z.output<typeof BacktestFiguresSchema>;
export type PlanDemandRow = z.output<typeof PlanDemandSchema>;
export type BacktestLogRow = z.output<typeof BacktestLogSchema>;
