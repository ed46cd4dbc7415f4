import { z } from "zod";
import { ClientIdSchema } from "../client-id";
import { CountSchema, InstantSchema, instantInput } from "./common";
import { HitRowSchema } from "./hits";
import { VersionKindSchema } from "./versions";

const ONE_CLIENT = {
  path: ["client"],
  message:
    "client and route exclude one another: what a client did is counted by plan, not by route; leave one out, or read /rules/{id}/hits, which takes both",
};

/** GET /rules/{id}/report. Default: the last 24 h, the running minute included, the mode that the rule has now (off: shadow). */
export const ReportQuerySchema = z
  .strictObject({
    from: instantInput("from").optional(),
    to: instantInput("to").optional(),
    mode: z.enum(["shadow", "enforce"]).optional(),
    /** Only what this revision counted; default: every revision in the interval. */
    revision: z.coerce.number().pipe(z.int().min(1)).optional(),
    /** Only requests of this plan, as it was when they were counted. */
    plan: z.string().min(1).max(64).optional(),
    /** Only requests of this route. Clients are not counted by route: `clients` is null then, `topClients` empty. */
    route: z.string().min(1).max(300).optional(),
    /**
     * Only this client, `key:<id>` or `ip:<address>`. A client is counted in minutes in which it had a hit, so all figures are
     * those of such minutes (`basis`), and `routes` is empty. Not together with `route`.
     */
    client: ClientIdSchema.refine((client) => !client.startsWith("customer:"), {
      error: (issue) =>
        `client must be key:<id> or ip:<address>, got ${String(issue.input)}: a customer is counted by its keys`,
    }).optional(),
  })
  .refine(({ client, route }) => client === undefined || route === undefined, ONE_CLIENT);

const figures = {
  /** Requests that the rule matched. */
  requests: CountSchema,
  /** enforce: refused by this rule. shadow: would be refused by it and passed today, so what enforcing would add. */
  rejections: CountSchema,
  /** Would be refused and passed today: in shadow the same as `rejections`, 0 for enforce. */
  newly: CountSchema,
  /** All that the rule refuses in its own world, also what another rule refused anyway. */
  wouldReject: CountSchema,
};

/** What stands behind the figures. No data is not "no rejections". */
export const CoverageSchema = z.object({
  /** Gateways that were live at any time in the interval. */
  gateways: CountSchema,
  /** Of these, those that reported throughout. */
  reporting: CountSchema,
  /** Share of hits kept as samples, 0..1; counts themselves are never sampled. */
  sampling: z.number().min(0).max(1),
  /** Requests that gateways could not count or send. */
  dropped: CountSchema,
  droppedShare: z.number().min(0).max(1),
  /** Seconds of the interval in which the rule was counted in this mode. */
  seconds: CountSchema,
  /** Enough to enforce by the settings' evidence bounds. */
  enough: z.boolean(),
  /** What is missing, a sentence each; empty when enough. */
  why: z.array(z.string()),
  /** The bounds in force, shown beside the verdict. */
  bounds: z.object({
    minSeconds: z.int(),
    minRequests: z.int(),
    maxDroppedShare: z.number(),
  }),
  perGateway: z.array(
    z.object({
      id: z.string(),
      minutes: CountSchema,
      /** Minutes in which it should have reported and did not. */
      missingMinutes: CountSchema,
      dropped: CountSchema,
    }),
  ),
  lastReportAt: InstantSchema.nullable(),
});

/** What a client asked for at most, beside what it may. Null for `other`, which is many. */
const PeakSchema = z.object({
  /** Most requests that the rule matched in one minute, of the minutes in which the client had a hit. */
  perMinute: CountSchema,
  /**
   * What the rule as reported holds such a client to now, by its override or by the plan that it was counted under. Null where
   * it is not limited.
   */
  limit: z
    .object({
      /** `60 per 1m, burst 120` */
      words: z.string(),
      /**
       * Most requests that it lets pass in one minute, to hold `perMinute` against. Null where that says nothing about the
       * client alone: other countBy than the client itself, requests at the same time, a cost by route or header.
       */
      perMinute: CountSchema.nullable(),
      isOverride: z.boolean(),
    })
    .nullable(),
});

const WorstSchema = z.object({
  from: InstantSchema,
  to: InstantSchema,
  requests: CountSchema,
  rejections: CountSchema,
  share: z.number().min(0).max(1).nullable(),
});

/** How finely the interval is still kept. Nothing of it is left out: where minutes are gone, it grows to whole hours or days. */
const ResolutionSchema = z.object({
  /** What the figures were read from, oldest first, without gaps. */
  parts: z.array(
    z.object({ from: InstantSchema, to: InstantSchema, level: z.enum(["minute", "hour", "day"]) }),
  ),
  /** From here on `worst` was looked for; null: nowhere, it is all too old. */
  worstFrom: InstantSchema.nullable(),
  /** What differs from what was asked for, a sentence each; empty when nothing does. */
  notes: z.array(z.string()),
});

export const ReportSchema = z.object({
  rule: z.string(),
  mode: z.enum(["shadow", "enforce"]),
  revision: z.int().nullable(),
  from: InstantSchema,
  to: InstantSchema,
  /** What was asked for; null: everything. */
  filter: z.object({
    plan: z.string().nullable(),
    route: z.string().nullable(),
    client: z.string().nullable(),
  }),
  /**
   * requests: of all requests that the rule matched. hitMinutes (a filter by client): only of the minutes in which
   * the client had a hit, so `share` is what it lost while it was hit.
   */
  basis: z.enum(["requests", "hitMinutes"]),
  ...figures,
  /** rejections / requests; null without requests. */
  share: z.number().min(0).max(1).nullable(),
  /** Clients with a hit; null with a filter by route, as clients are not counted by route. */
  clients: CountSchema.nullable(),
  /** True when a gateway passed its bound of client rows: then `clients` is a lower bound. */
  clientsCapped: z.boolean(),
  byPlan: z.array(z.object({ plan: z.string(), ...figures, clients: CountSchema.nullable() })),
  /** Most hits first. A client's requests are those of minutes in which it had one. `other`: clients beyond the bound. */
  topClients: z.array(
    z.object({ client: z.string(), plan: z.string(), ...figures, peak: PeakSchema.nullable() }),
  ),
  routes: z.array(z.object({ route: z.string(), ...figures })),
  /** One point each `stepSeconds`, without gaps; a step in which nothing was reported has `reported: false`. */
  stepSeconds: z.int().min(1),
  series: z.array(z.object({ t: InstantSchema, ...figures, reported: z.boolean() })),
  /** Of the clock's 5-minute steps in the interval, that with most rejections; null when none had one. */
  worst: WorstSchema.nullable(),
  resolution: ResolutionSchema,
  /** Versions made in the interval, for marks on the chart. */
  marks: z.array(
    z.object({ t: InstantSchema, version: z.int(), kind: VersionKindSchema, message: z.string() }),
  ),
  samples: z.array(HitRowSchema),
  coverage: CoverageSchema,
});

export type ReportQuery = z.output<typeof ReportQuerySchema>;
export type Coverage = z.output<typeof CoverageSchema>;
export type Report = z.output<typeof ReportSchema>;
