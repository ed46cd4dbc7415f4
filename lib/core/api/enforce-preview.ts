import { z } from "zod";
import { GuardrailSchema } from "../guardrail";
import { ModeSchema } from "../rule";
import { CountSchema } from "./common";
import { BlastRadiusSchema } from "./publish";
import { CoverageSchema } from "./report";

/** GET /rules/{id}/enforce-preview: what enforcing it now would ask for, as the commit itself judges it. */
export const EnforcePreviewSchema = z.object({
  rule: z.string(),
  /** The live one, that all this is about. */
  version: z.int(),
  mode: ModeSchema,
  revision: z.int(),
  /** What revisions that decide as this one counted in shadow, in the last 24 h. */
  evidence: CoverageSchema.pick({
    enough: true,
    why: true,
    seconds: true,
    gateways: true,
    reporting: true,
    droppedShare: true,
    bounds: true,
  }).extend({ requests: CountSchema }),
  radius: BlastRadiusSchema,
  /** What the radius' first clients are called, by their ids; without those that have no name. */
  names: z.record(z.string(), z.string()),
  confirmAbove: z.object({ clients: CountSchema, share: z.number().min(0).max(1) }),
  /** By what the change is watched unless it says otherwise; null: by nothing. */
  guardrail: GuardrailSchema.nullable(),
  protectedPlans: z.array(z.string()),
  /** What the guardrail would compare with: all that the rule refused in its own world, of what it matched in shadow. */
  predicted: z.object({ requests: CountSchema, rejections: CountSchema }),
});

export type EnforcePreview = z.output<typeof EnforcePreviewSchema>;
