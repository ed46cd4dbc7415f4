import { z } from "zod";
import { CandidateSchema, isShared, shareWords } from "@/lib/core/candidate";
import { isEqual } from "@/lib/core/field-diff";
import { type Guardrail, GuardrailSchema } from "@/lib/core/guardrail";
import { VERDICTS } from "@/lib/core/guardrail-judgement";
import { RuleSchema } from "@/lib/core/rule";
import { type Content, withObject, withoutObject } from "@/lib/core/ruleset-objects";
import { jsonColumn } from "@/lib/db/json";

/** Everything of one rule in a version: what a change of that rule alone changes. */
export const RuleStateSchema = z.object({
  rule: RuleSchema.nullable(),
  candidate: CandidateSchema.nullable(),
});

export type RuleState = z.output<typeof RuleStateSchema>;

/** Requests that a rule matched and refused, with the plans that had any. */
export const CountedSchema = z.object({
  requests: z.number(),
  rejections: z.number(),
  byPlan: z.array(z.object({ plan: z.string(), requests: z.number(), rejections: z.number() })),
});

export type Counted = z.output<typeof CountedSchema>;

export const PredictedSchema = CountedSchema.extend({ from: z.string(), to: z.string() });

export type Predicted = z.output<typeof PredictedSchema>;

export const LooksSchema = z.array(
  z.object({ atMs: z.number(), requests: z.number(), rejections: z.number() }),
);

export const JudgementSchema = z.object({
  at: z.string(),
  verdict: z.enum(VERDICTS),
  why: z.array(z.string()),
  crossedSince: z.string().nullable(),
  window: z.object({ seconds: z.number(), requests: z.number(), rejections: z.number() }),
  rejectionsByPlan: z.array(z.object({ plan: z.string(), rejections: z.number() })).default([]),
  missing: z.array(z.string()),
});

export type StoredJudgement = z.output<typeof JudgementSchema>;

const WantedSchema = z.object({ wanted: GuardrailSchema.nullable() });

/** What a request asked for, as schedules and change requests keep it: not said is not the same as none. */
export function keptGuardrail(wanted: Guardrail | null | undefined) {
  return wanted === undefined ? {} : { guardrail: jsonColumn({ wanted }) };
}

export function wantedGuardrail(column: unknown): Guardrail | null | undefined {
  return column === null ? undefined : WantedSchema.parse(column).wanted;
}

export const OPEN_STATES = ["watching", "held"];

export function ruleState({ rules, candidates }: Content, id: string): RuleState {
  return {
    rule: rules.find((rule) => rule.id === id) ?? null,
    candidate: candidates.find((candidate) => candidate.id === id) ?? null,
  };
}

export function withRuleState(content: Content, id: string, state: RuleState): Content {
  const without = withoutObject(content, { kind: "candidate", id });
  const { rule, candidate } = state;
  const put = rule === null ? without : withObject(without, { kind: "rule", id, body: rule });
  return candidate === null ? put : withObject(put, { kind: "candidate", id, body: candidate });
}

/** `shadow`, `10 % of clients`, `what it was before`; null when the rule itself is as it was. */
export function undoWords(before: RuleState, after: RuleState): string | null {
  if (isEqual(before, after)) return null;
  if (before.rule?.mode !== after.rule?.mode && before.rule !== null) return before.rule.mode;
  const had = before.candidate;
  const has = after.candidate;
  if (isShared(has?.share) && isEqual(before.rule, after.rule))
    return isShared(had?.share) && had !== null
      ? `the candidate for ${shareWords(had.share)}`
      : "the live revision for every client";
  return "the limits it had before";
}
