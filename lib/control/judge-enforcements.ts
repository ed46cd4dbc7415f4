import { isEqual } from "@/lib/core/field-diff";
import { GuardrailSchema } from "@/lib/core/guardrail";
import { type GuardrailJudgement, judgeGuardrail } from "@/lib/core/guardrail-judgement";
import { trailingWindow } from "@/lib/core/guardrail-window";
import { percent } from "@/lib/core/guardrail-words";
import { tellChange } from "@/lib/db/changes";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { Enforcement } from "@/lib/db/generated/client";
import { jsonColumn } from "@/lib/db/json";
import { databaseNow } from "@/lib/db/now";
import type { Ctx } from "./context";
import { COUNTS_KEPT_MS } from "./counts-kept";
import {
  type Counted,
  CountedSchema,
  JudgementSchema,
  LooksSchema,
  PredictedSchema,
  RuleStateSchema,
  ruleState,
  type StoredJudgement,
} from "./enforcement-columns";
import { countAllEnforced, countedAfter, NOTHING } from "./enforcement-counts";
import type { LoadedVersion } from "./live-version";
import { raiseAlert } from "./raise-alert";
import { resolveAlert } from "./resolve-alert";

/** What counts are missing of a rule's enforcement. */
export type Sight = { missing: string[]; isBlind: boolean };
export type SightOf = (watched: { ruleId: string; version: number; sinceMs: number }) => Sight;

/** A dead worker's time was not watched: a longer gap between two looks counts as this. */
const LOOK_GAP_MS = 15_000;
/** A gateway that restarts is no alert. */
const DATA_ALERT_MS = 20_000;
const DATA_ALERTS_MAX = 5;
const DAY_MS = 86_400_000;
/** While all of its minutes are kept. */
const WATCH_MAX_MS = COUNTS_KEPT_MS.minutes - DAY_MS;

type Judged = { id: string; verdict: GuardrailJudgement["verdict"] };
type Looks = {
  sightOf: SightOf;
  /** As a pass began: an undo looks again. */
  live: LoadedVersion;
};

/**
 * One look at some enforced changes. What is to be undone is only said: that takes the lock of all commits, which is
 * never waited for while rows are held. Rows that another worker looks at, or that are no longer watched, are left out, as
 * are those that cannot be read: they are in `failures`.
 */
export async function judgeEnforcements(
  ctx: Ctx,
  ids: readonly string[],
  { sightOf, live }: Looks,
): Promise<{ judged: Judged[]; failures: unknown[] }> {
  return inTransaction(ctx.db, async (tx) => {
    const claimed = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM enforcement WHERE id = ANY(${[...ids]}::text[]) AND state IN ('watching', 'held')
        AND held_for IS DISTINCT FROM 'crossing' ORDER BY id FOR UPDATE SKIP LOCKED`;
    if (claimed.length === 0) return { judged: [], failures: [] };
    const rows = await tx.enforcement.findMany({
      where: { id: { in: claimed.map(({ id }) => id) } },
    });
    const nowMs = (await databaseNow(tx)).getTime();
    const counted = await countAllEnforced(
      tx,
      rows.map(({ id, ruleId, revisions, since }) => {
        return { id, ruleId, revisions, sinceMs: since.getTime() };
      }),
    );
    const judged: Judged[] = [];
    const failures: unknown[] = [];
    for (const row of rows) {
      const look = attempt(() =>
        lookAt(row, { sightOf, live, nowMs, all: counted.get(row.id) ?? NOTHING }),
      );
      if ("error" in look) {
        failures.push(look.error);
        continue;
      }
      await settle(tx, row, look.value, nowMs);
      judged.push({ id: row.id, verdict: look.value.judged.verdict });
    }
    return { judged, failures };
  });
}

/** Of what asks no database, so that a failure leaves the transaction whole. */
function attempt<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

type Looked = ReturnType<typeof lookAt>;

function lookAt(
  row: Enforcement,
  { sightOf, live, nowMs, all }: Looks & { nowMs: number; all: Counted },
) {
  const guardrail = GuardrailSchema.parse(row.guardrail);
  const sinceMs = row.since.getTime();
  const now = { atMs: nowMs, requests: all.requests, rejections: all.rejections };
  const window = trailingWindow(LooksSchema.parse(row.looks), now, guardrail);
  const watched = countedAfter(all, CountedSchema.parse(row.watchedBase));
  const { missing, isBlind } = sightOf({ ruleId: row.ruleId, version: row.version, sinceMs });
  const judged = judgeGuardrail(
    guardrail,
    {
      windowSeconds: window.seconds,
      requests: window.requests,
      rejections: window.rejections,
      rejectionsByPlan: Object.fromEntries(
        watched.byPlan.map(({ plan, rejections }) => [plan, rejections]),
      ),
      missing,
      isBlind,
    },
    {
      predicted: row.predicted === null ? null : PredictedSchema.parse(row.predicted),
      protectedPlans: live.content.plans.filter((plan) => plan.protected).map(({ id }) => id),
      crossedSinceMs: crossedSinceMs(row),
      keptBecause: keptBecause(row, live),
    },
    nowMs,
  );
  const lookedMs = row.lookedAt?.getTime() ?? sinceMs;
  const gapMs = Math.max(0, Math.min(nowMs - lookedMs, LOOK_GAP_MS));
  return {
    guardrail,
    judged,
    window,
    missing,
    actual: countedAfter(all, CountedSchema.parse(row.base)),
    watched,
    watchedMs: row.watchedMs + (missing.length === 0 ? gapMs : 0),
  };
}

function crossedSinceMs(row: Enforcement): number | null {
  if (row.judgement === null) return null;
  const { crossedSince } = JudgementSchema.parse(row.judgement);
  return crossedSince === null ? null : Date.parse(crossedSince);
}

/** Why this change cannot be taken back by itself; null when it can. */
function keptBecause(row: Enforcement, live: LoadedVersion): string | null {
  const after = RuleStateSchema.parse(row.after);
  if (!isEqual(ruleState(live.content, row.ruleId), after))
    return `the rule was changed since version ${row.version}, so that change is not undone`;
  if (isEqual(RuleStateSchema.parse(row.before), after))
    return "it came by a change of the plans, which is not undone";
  return null;
}

async function settle(tx: Tx, row: Enforcement, look: Looked, nowMs: number): Promise<void> {
  const { judged, guardrail, window, actual, watched, missing, watchedMs } = look;
  const { verdict, heldFor, why } = judged;
  const isPassed = verdict === "within" && watchedMs >= guardrail.watchSeconds * 1000;
  const isTooLong = verdict !== "undo" && nowMs - row.since.getTime() > WATCH_MAX_MS;
  const state = isPassed
    ? "passed"
    : verdict === "hold"
      ? "held"
      : isTooLong
        ? "ended"
        : "watching";
  const isTurned = state !== row.state || heldFor !== row.heldFor;
  const judgement: StoredJudgement = {
    at: new Date(nowMs).toISOString(),
    verdict,
    why,
    crossedSince:
      judged.crossedSinceMs === null ? null : new Date(judged.crossedSinceMs).toISOString(),
    window: {
      seconds: window.seconds,
      requests: window.requests,
      rejections: window.rejections,
    },
    rejectionsByPlan: watched.byPlan
      .filter(({ rejections }) => rejections > 0)
      .map(({ plan, rejections }) => ({ plan, rejections })),
    missing,
  };
  await tx.enforcement.update({
    where: { id: row.id },
    data: {
      looks: jsonColumn(window.looks),
      actual: jsonColumn(actual),
      judgement: jsonColumn(judgement),
      lookedAt: new Date(nowMs),
      watchedMs,
      state,
      heldFor,
      ...(isTurned && { stateAt: new Date(nowMs) }),
      ...(isPassed && { outcome: passedWords(look) }),
      ...(state === "ended" && {
        outcome: `too few requests were counted in ${WATCH_MAX_MS / DAY_MS} days to say how it fares`,
      }),
    },
  });
  const subject = row.ruleId;
  const heldMs = isTurned ? 0 : nowMs - row.stateAt.getTime();
  const isTold =
    heldFor === "crossing" ||
    (heldFor === "data" && heldMs >= DATA_ALERT_MS && (await isOneOfFew(tx, subject)));
  if (isTold)
    await raiseAlert(tx, {
      kind: "guardrail-held",
      subject,
      message: heldMessage(row, judged),
      atMs: nowMs,
    });
  else if (row.state === "held" && heldFor === null)
    await resolveAlert(tx, { kinds: ["guardrail-held"], subject, atMs: nowMs });
  if (isTurned || verdict !== lastVerdict(row)) await tellChange(tx);
}

/** One silent gateway holds every rule that is watched: a few of them tell it. */
async function isOneOfFew(tx: Tx, subject: string): Promise<boolean> {
  const others = await tx.alert.count({
    where: { kind: "guardrail-held", resolvedAt: null, subject: { not: subject } },
  });
  return others < DATA_ALERTS_MAX;
}

function lastVerdict({ judgement }: Enforcement) {
  return judgement === null ? null : JudgementSchema.parse(judgement).verdict;
}

export function heldMessage(
  { ruleId, version }: Pick<Enforcement, "ruleId" | "version">,
  { heldFor, why }: Pick<GuardrailJudgement, "heldFor" | "why">,
): string {
  const what =
    heldFor === "data"
      ? `Nobody can say how rule ${ruleId} fares since version ${version}`
      : `Rule ${ruleId} crosses its guardrail since version ${version} and stays enforced`;
  return `${what}: ${why.join("; ")}`.slice(0, 1000);
}

function passedWords({ actual, guardrail }: Looked): string {
  const share = percent(actual.requests === 0 ? 0 : actual.rejections / actual.requests);
  return `watched for ${guardrail.watchSeconds} s: ${share} rejected (${actual.rejections} of ${actual.requests})`;
}
