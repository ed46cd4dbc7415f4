import { z } from "zod";
import { CountSchema, InstantSchema, instantInput } from "./common";
import { HitRowSchema } from "./hits";
import { VersionKindSchema } from "./versions";

/** GET /rules/{id}/report. Default: the last 24 h, the running minute included, the mode that the rule has now (off: shadow). */
export const ReportQuerySchema = z.strictObject({
  from: instantInput("from").optional(),
  to: instantInput("to").optional(),
  mode: z.enum(["shadow", "enforce"]).optional(),
  /** Only what this revision counted; default: every revision in the interval. */
  revision: z.coerce.number().pipe(z.int().min(1)).optional(),
});

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

export const ReportSchema = z.object({
  rule: z.string(),
  mode: z.enum(["shadow", "enforce"]),
  revision: z.int().nullable(),
  from: InstantSchema,
  to: InstantSchema,
  ...figures,
  /** rejections / requests; null without requests. */
  share: z.number().min(0).max(1).nullable(),
  /** Clients with a hit. */
  clients: CountSchema,
  /** True when a gateway passed its bound of client rows: then `clients` is a lower bound. */
  clientsCapped: z.boolean(),
  byPlan: z.array(z.object({ plan: z.string(), ...figures, clients: CountSchema })),
  /** Most hits first. A client's requests are those of minutes in which it had one. `other`: clients beyond the bound. */
  topClients: z.array(z.object({ client: z.string(), plan: z.string(), ...figures })),
  routes: z.array(z.object({ route: z.string(), ...figures })),
  /** One point each `stepSeconds`, without gaps; a step in which nothing was reported has `reported: false`. */
  stepSeconds: z.int().min(1),
  series: z.array(z.object({ t: InstantSchema, ...figures, reported: z.boolean() })),
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
