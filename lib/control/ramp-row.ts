import { z } from "zod";
import { RAMP_STATES, type Ramp } from "@/lib/core/api/ramps";
import { type Share, ShareSchema, shareWords } from "@/lib/core/candidate";
import { GuardrailSchema } from "@/lib/core/guardrail";
import type { CandidateRamp } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";

const StepsSchema = z.array(z.object({ share: ShareSchema, hold: z.string().nullable() }));
const DoneSchema = z.array(z.object({ at: z.string(), version: z.int() }));
const WatchSchema = z.object({ bounds: GuardrailSchema.nullable() }).nullable();

export type RampStep = z.output<typeof StepsSchema>[number];
export type RampStepDone = z.output<typeof DoneSchema>[number];

export function rampSteps(row: Pick<CandidateRamp, "steps">): RampStep[] {
  return StepsSchema.parse(row.steps);
}

export function rampStepsDone(row: Pick<CandidateRamp, "stepsDone">): RampStepDone[] {
  return DoneSchema.parse(row.stepsDone);
}

/** What its last step left. */
export function rampShare(row: Pick<CandidateRamp, "steps" | "stepsDone">): Share {
  return rampSteps(row)[rampStepsDone(row).length - 1]?.share ?? 0;
}

/** For the plan of a step: left out where the settings shall say. */
export function rampGuardrail({ guardrail }: Pick<CandidateRamp, "guardrail">) {
  const watch = WatchSchema.parse(guardrail);
  return watch === null ? {} : { guardrail: watch.bounds };
}

export function isOpen({ state }: Pick<CandidateRamp, "state">): boolean {
  return state === "running" || state === "paused";
}

export function rampRow(row: CandidateRamp): Ramp {
  const done = rampStepsDone(row);
  const { leftMs, endedAt, endedBy, heldSince } = row;
  return {
    id: row.id,
    rule: row.ruleId,
    state: z.enum(RAMP_STATES).parse(row.state),
    steps: rampSteps(row).map(({ share, hold }, i) => ({
      share,
      words: shareWords(share),
      hold,
      at: done[i]?.at ?? null,
      version: done[i]?.version ?? null,
    })),
    taken: done.length,
    nextAt: row.state === "running" ? row.nextAt.toISOString() : null,
    leftSeconds: row.state === "paused" ? Math.ceil(Number(leftMs ?? 0) / 1000) : null,
    held: row.state === "running" ? row.held : null,
    heldSince: row.state === "running" && heldSince !== null ? heldSince.toISOString() : null,
    actor: actorColumn(row.actor),
    reason: row.reason,
    createdAt: row.createdAt.toISOString(),
    acknowledgeGaps: row.acknowledgeGaps,
    acknowledgeRadius: row.acknowledgeRadius,
    endedAt: endedAt === null ? null : endedAt.toISOString(),
    endedBy: endedBy === null ? null : actorColumn(endedBy),
    outcome: row.outcome,
  };
}
