import { z } from "zod";
import { ShareSchema } from "../candidate";
import { flag, textLine, wholeNumber } from "../parse";
import { RuleFieldsSchema, RuleSchema } from "../rule";
import { FieldDiffSchema } from "./change";
import { ActorSchema, CountSchema, InstantSchema, instantInput } from "./common";
import { EnforcePreviewSchema } from "./enforce-preview";
import { wantedGuardrail } from "./enforcement";
import { RampSchema } from "./ramps";
import { CoverageSchema } from "./report";

const common = {
  reason: textLine("reason", 500),
  /** 409 unless this is the current version. */
  expectVersion: wholeNumber("expectVersion", 0, 2_147_483_647).optional(),
};
const acknowledgeGaps = flag("acknowledgeGaps").optional();
const acknowledgeRadius = flag("acknowledgeRadius").optional();

/** PUT /rules/{id}/candidate. */
export const CandidateRequestSchema = z.strictObject({
  ...common,
  /** The whole rule; its mode is enforce, whatever is said. Left out: the live revision. */
  rule: RuleFieldsSchema.partial({ id: true, mode: true }).optional(),
  /** Left out: the share that a candidate has already, else 0: in shadow only. */
  share: ShareSchema.optional(),
  acknowledgeGaps,
  acknowledgeRadius,
  guardrail: wantedGuardrail,
});

/** POST /rules/{id}/candidate/share. */
export const ShareRequestSchema = z.strictObject({
  ...common,
  share: ShareSchema,
  acknowledgeGaps,
  acknowledgeRadius,
  guardrail: wantedGuardrail,
});

/** POST /rules/{id}/candidate/promote. */
export const PromoteRequestSchema = z.strictObject({
  ...common,
  acknowledgeGaps,
  acknowledgeRadius,
  guardrail: wantedGuardrail,
});

/** DELETE /rules/{id}/candidate. */
export const DropCandidateQuerySchema = z.strictObject({
  expectVersion: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
  reason: textLine("reason", 500).optional(),
});

/** What runs beside a live rule, as GET /rules/{id} shows it. */
export const CandidateDetailSchema = z.object({
  revision: z.int(),
  slot: z.int(),
  share: ShareSchema,
  /** `10 % of clients`, `no client` */
  shareWords: z.string(),
  /** Whether anybody gets it enforced. */
  isShared: z.boolean(),
  rule: RuleSchema,
  sentence: z.string(),
  /** What differs from the live revision. */
  diff: z.array(FieldDiffSchema),
  /** Since when this revision is tried, and by whom. */
  since: InstantSchema,
  sinceVersion: z.int(),
  by: ActorSchema,
  /** Its last ramp; null when it never had one. */
  ramp: RampSchema.nullable(),
});

/** GET /rules/{id}/candidate/report. Default: since the candidate's revision is tried, the last 14 days at most. */
export const CandidateReportQuerySchema = z.strictObject({
  from: instantInput("from").optional(),
  to: instantInput("to").optional(),
});

const compared = {
  /** That the candidate matched, of clients that meet the live revision. */
  requests: CountSchema,
  /** Pass today and would be refused. */
  newly: CountSchema,
  /** Refused today and would pass. */
  noLonger: CountSchema,
  /** Refused today, by whatever rule, and by the candidate, too. */
  both: CountSchema,
  /** Clients of the share meet the candidate only: what it really refused. */
  enforced: z.object({ requests: CountSchema, rejections: CountSchema }),
};

const comparedClients = z.object({
  newly: CountSchema,
  noLonger: CountSchema,
  both: CountSchema,
  enforced: CountSchema,
});

export const CandidateReportSchema = z.object({
  rule: z.string(),
  revision: z.int(),
  liveRevision: z.int(),
  share: ShareSchema,
  since: InstantSchema,
  from: InstantSchema,
  to: InstantSchema,
  ...compared,
  /** How many clients had such a request. */
  clients: comparedClients,
  /** True when a gateway passed its bound of client rows: then `clients` are lower bounds. */
  clientsCapped: z.boolean(),
  byPlan: z.array(z.object({ plan: z.string(), ...compared, clients: comparedClients })),
  /**
   * Whose answers change most first. `requests` are those of minutes in which either revision refused the client one.
   * `other`: clients beyond the bound.
   */
  topClients: z.array(
    z.object({
      client: z.string(),
      plan: z.string(),
      requests: CountSchema,
      newly: CountSchema,
      noLonger: CountSchema,
      both: CountSchema,
      enforced: CountSchema,
    }),
  ),
  /** What the figures rest on. */
  coverage: CoverageSchema,
  /** Whether what is known of the candidate is enough to enforce it, as the commit judges it: of the last 24 h. */
  evidence: EnforcePreviewSchema.shape.evidence,
});

/** GET /rules/{id}/candidate/preview: what more share, or promoting it, would ask for, as the commit itself judges it. */
export const CandidatePreviewSchema = EnforcePreviewSchema.omit({ mode: true }).extend({
  liveRevision: z.int(),
  share: ShareSchema,
  plans: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Why evidence is asked for; null where the candidate is nowhere stricter. */
  needs: z.object({ share: z.string().nullable(), promote: z.string().nullable() }),
  /** A second person must approve; then there are no ramps. */
  approvalRequired: z.boolean(),
});

export type CandidatePreview = z.output<typeof CandidatePreviewSchema>;
export type CandidateDetail = z.output<typeof CandidateDetailSchema>;
export type CandidateReport = z.output<typeof CandidateReportSchema>;
