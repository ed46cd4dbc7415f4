import {
  ENFORCEMENT_STATES,
  type Enforcement,
  type EnforcementFigures,
} from "@/lib/core/api/enforcement";
import { isEqual } from "@/lib/core/field-diff";
import { GuardrailSchema } from "@/lib/core/guardrail";
import type { Reader } from "@/lib/db/client";
import type { Enforcement as Row } from "@/lib/db/generated/client";
import { actorColumn } from "@/lib/db/json";
import { COUNTS_KEPT_MS } from "./counts-kept";
import {
  type Counted,
  CountedSchema,
  JudgementSchema,
  PredictedSchema,
  RuleStateSchema,
  ruleState,
  undoWords,
} from "./enforcement-columns";
import { countEnforced, countedAfter } from "./enforcement-counts";
import type { LoadedVersion } from "./live-version";

/** Shorter than minutes are kept: older changes show what the last look counted. */
const COUNTED_MS = COUNTS_KEPT_MS.minutes - 86_400_000;

/** As people see it: with what was counted by now, where counts are still kept. */
export async function enforcementRow(
  reader: Reader,
  row: Row,
  { live, nowMs }: { live: LoadedVersion; nowMs: number },
): Promise<Enforcement> {
  const { ruleId, revisions, since } = row;
  const [before, after] = [RuleStateSchema.parse(row.before), RuleStateSchema.parse(row.after)];
  const predicted = row.predicted === null ? null : PredictedSchema.parse(row.predicted);
  const sinceMs = since.getTime();
  const actual =
    nowMs - sinceMs > COUNTED_MS
      ? CountedSchema.parse(row.actual)
      : countedAfter(
          await countEnforced(reader, { ruleId, revisions, sinceMs }),
          CountedSchema.parse(row.base),
        );
  const [was, is] = [predicted === null ? null : shareOf(predicted), shareOf(actual)];
  const judgement = row.judgement === null ? null : JudgementSchema.parse(row.judgement);
  return {
    id: row.id,
    rule: ruleId,
    lane: row.lane === "candidate" ? "candidate" : "live",
    revision: revisions.at(-1) ?? 0,
    version: row.version,
    since: since.toISOString(),
    by: actorColumn(row.actor),
    change: row.change,
    undoTo: undoWords(before, after),
    guardrail: row.guardrail === null ? null : GuardrailSchema.parse(row.guardrail),
    protectedPlans: live.content.plans.flatMap((plan) => (plan.protected ? [plan.id] : [])),
    predicted:
      predicted === null ? null : { ...figures(predicted), from: predicted.from, to: predicted.to },
    actual: figures(actual),
    ratio: was === null || is === null || was === 0 ? null : is / was,
    state: ENFORCEMENT_STATES.find((state) => state === row.state) ?? "ended",
    stateAt: row.stateAt.toISOString(),
    heldFor: row.heldFor === "crossing" || row.heldFor === "data" ? row.heldFor : null,
    judgement:
      judgement === null
        ? null
        : { ...judgement, window: { ...judgement.window, share: shareOf(judgement.window) } },
    watchedSeconds: row.watchedMs / 1000,
    changedSince: !isEqual(ruleState(live.content, ruleId), after),
    undoneBy: row.undoneVersion,
    endedBy: row.endedBy === null ? null : actorColumn(row.endedBy),
    outcome: row.outcome,
  };
}

function figures({ requests, rejections, byPlan }: Counted): EnforcementFigures {
  return {
    requests,
    rejections,
    share: shareOf({ requests, rejections }),
    byPlan: byPlan.map((row) => ({ ...row, share: shareOf(row) })),
  };
}

/** A rejection may be stored before the request it belongs to is: never above 1. */
function shareOf({ requests, rejections }: { requests: number; rejections: number }) {
  return requests === 0 ? null : Math.min(1, rejections / requests);
}
