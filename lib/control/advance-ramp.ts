import { holdMs } from "@/lib/core/api/ramps";
import { shareWords } from "@/lib/core/candidate";
import { AppError } from "@/lib/core/errors";
import { withObject } from "@/lib/core/ruleset-objects";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { CandidateRamp } from "@/lib/db/generated/client";
import { actorColumn, jsonColumn } from "@/lib/db/json";
import { ApprovalDue } from "./approval-due";
import { commitVersion } from "./commit-version";
import { type Ctx, withActor } from "./context";
import { endRamp } from "./end-ramp";
import { liveCandidate } from "./live-candidate";
import { getLive, type LoadedVersion } from "./live-version";
import { makerOf } from "./maker-of";
import { requirePermission } from "./permission";
import { raiseAlert } from "./raise-alert";
import { isAsLeft, whoChanged } from "./ramp-changed";
import { rampMayAdvance } from "./ramp-may-advance";
import { isOpen, rampGuardrail, rampSteps, rampStepsDone } from "./ramp-row";
import { recordAudit } from "./record-audit";
import { resolveAlert } from "./resolve-alert";

/** A hold that is over soon is shown, and told nobody. */
const TELL_HELD_AFTER_MS = 60_000;

export type RampOutcome =
  | { state: "waiting" | "gone" }
  | { state: "stepped"; version: number }
  | { state: "held" | "paused" | "stopped"; why: string };

/**
 * Looks after one ramp: stops it when somebody changed the rule, else takes the step that is due, as its maker, unless the
 * guardrail or missing evidence holds it. A step is taken once, also by several workers: its row is claimed under the
 * lock of all commits. What is `unavailable` is thrown and stays due.
 */
export async function advanceRamp(ctx: Ctx, { id }: { id: string }): Promise<RampOutcome> {
  requirePermission(ctx, "publish");
  const row = await ctx.db.candidateRamp.findUnique({ where: { id } });
  if (row === null || !isOpen(row)) return { state: "gone" };
  const live = await getLive(ctx.db);
  if (!isAsLeft(live, row)) return stopChanged(ctx, row);
  await ctx.db.candidateRamp.updateMany({
    where: { id, checkedVersion: { lt: live.version } },
    data: { checkedEpoch: live.epoch, checkedVersion: live.version },
  });
  if (row.state === "paused" || row.nextAt.getTime() > ctx.clock.nowMs())
    return { state: "waiting" };
  const why = await inTransaction(ctx.db, (tx) => guardrailHolds(tx, row));
  if (why !== null) return hold(ctx, row, why);
  try {
    const maker = await makerOf(ctx, actorColumn(row.actor), "started");
    return { state: "stepped", version: await commitStep(withActor(ctx, maker), row) };
  } catch (error) {
    if (error instanceof GoneError) return { state: "gone" };
    if (error instanceof ChangedError) return stopChanged(ctx, row);
    if (!(error instanceof AppError) || error.code === "unavailable" || error.code === "internal")
      throw error;
    const { reason } = Object(error.details);
    if (reason === "evidence") return hold(ctx, row, error.message);
    if (error instanceof ApprovalDue || reason === "radius") return pause(ctx, row, error.message);
    return stop(ctx, row, { why: error.message, isOwn: false });
  }
}

/** Why not yet; null when its last step fares well, or made nothing stricter, so that nothing watches it. */
async function guardrailHolds(tx: Tx, row: CandidateRamp): Promise<string | null> {
  const first = rampStepsDone(row)[0]?.version ?? 0;
  const watched = await tx.enforcement.count({
    where: { ruleId: row.ruleId, version: { gte: first } },
  });
  if (watched === 0) return null;
  const { mayAdvance, why } = await rampMayAdvance(tx, row.ruleId);
  return mayAdvance ? null : `its guardrail does not let it go on yet: ${why.join("; ")}`;
}

/** Another worker has it, or it ended. */
class GoneError extends Error {}
class ChangedError extends Error {}

async function commitStep(ctx: Ctx, row: CandidateRamp): Promise<number> {
  requirePermission(ctx, "publish");
  const { id, ruleId } = row;
  const done = rampStepsDone(row);
  const steps = rampSteps(row);
  const step = steps[done.length];
  if (step === undefined) throw new GoneError();
  const isLast = done.length === steps.length - 1;
  const { share } = step;
  const { version } = await commitVersion(
    ctx,
    async (tx) => {
      const claimed = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM candidate_ramp
        WHERE id = ${id} AND state = 'running' AND jsonb_array_length(steps_done) = ${done.length}::int
        FOR UPDATE SKIP LOCKED`;
      if (claimed.length === 0) throw new GoneError();
      return { versions: [], edits: [] };
    },
    (_tx, live) => {
      if (!isAsLeft(live, row)) throw new ChangedError();
      const before = liveCandidate(live, ruleId);
      const words = `step ${done.length + 1} of ${steps.length} of its ramp`;
      return {
        kind: "publish",
        message: `${ruleId}: the candidate for ${shareWords(share)}, ${words}: ${row.reason}`,
        content: withObject(live.content, {
          kind: "candidate",
          id: ruleId,
          body: { ...before, share },
        }),
        evidence: row.acknowledgeGaps ? "acknowledged" : "required",
        radius: row.acknowledgeRadius ? "acknowledged" : "required",
        ...rampGuardrail(row),
        audit: {
          action: "ramp.step",
          kind: "rule",
          objectId: ruleId,
          did: `set the candidate of rule ${ruleId} from ${shareWords(before.share)} to ${shareWords(share)}, ${words}`,
          reason: row.reason,
          before: { share: before.share },
          after: { share },
        },
        also: (tx) => stepTaken(ctx, tx, { row, live, isLast, holdMs: holdMs(step) }),
      };
    },
  );
  return version;
}

type Taken = { row: CandidateRamp; live: LoadedVersion; isLast: boolean; holdMs: number };

async function stepTaken(ctx: Ctx, tx: Tx, { row, live, isLast, holdMs }: Taken): Promise<void> {
  const nowMs = ctx.clock.nowMs();
  const step = { at: new Date(nowMs).toISOString(), version: live.version + 1 };
  await tx.candidateRamp.update({
    where: { id: row.id },
    data: {
      stepsDone: jsonColumn([...rampStepsDone(row), step]),
      nextAt: new Date(nowMs + holdMs),
      held: null,
      heldSince: null,
      checkedEpoch: live.epoch,
      checkedVersion: live.version + 1,
    },
  });
  await resolveAlert(tx, { kinds: ["ramp-held"], subject: row.ruleId, atMs: nowMs });
  if (isLast) await endRamp(ctx, tx, row, { state: "done", outcome: "every step was taken" });
}

async function hold(ctx: Ctx, row: CandidateRamp, why: string): Promise<RampOutcome> {
  const nowMs = ctx.clock.nowMs();
  const since = row.heldSince ?? new Date(nowMs);
  await inTransaction(ctx.db, async (tx) => {
    if (row.held !== why || row.heldSince === null) {
      const { count } = await tx.candidateRamp.updateMany({
        where: { id: row.id, state: "running", stepsDone: { equals: jsonColumn(row.stepsDone) } },
        data: { held: why.slice(0, 1000), heldSince: since },
      });
      if (count === 0) return;
      if (row.heldSince === null)
        await recordAudit(tx, ctx.actor, {
          action: "ramp.hold",
          kind: "rule",
          objectId: row.ruleId,
          sentence: `${ctx.actor.name} holds the ramp of rule ${row.ruleId}: ${why}`,
        });
    }
    if (nowMs - since.getTime() < TELL_HELD_AFTER_MS) return;
    const message = `the next step of rule ${row.ruleId}'s candidate is held: ${why}`;
    await alert(tx, { kind: "ramp-held", subject: row.ruleId, message, atMs: nowMs });
  });
  return { state: "held", why };
}

/** A person must do something first; the step stays due. */
async function pause(ctx: Ctx, row: CandidateRamp, why: string): Promise<RampOutcome> {
  const nowMs = ctx.clock.nowMs();
  return inTransaction(ctx.db, async (tx) => {
    const { count } = await tx.candidateRamp.updateMany({
      where: { id: row.id, state: "running" },
      data: {
        state: "paused",
        leftMs: 0,
        held: null,
        heldSince: null,
        outcome: why.slice(0, 1000),
      },
    });
    if (count === 0) return { state: "gone" };
    await recordAudit(tx, ctx.actor, {
      action: "ramp.pause",
      kind: "rule",
      objectId: row.ruleId,
      sentence: `${ctx.actor.name} paused the ramp of rule ${row.ruleId}: ${why}`,
    });
    const message = `the ramp of rule ${row.ruleId} is paused: ${why}`;
    await alert(tx, { kind: "ramp-stopped", subject: row.ruleId, message, atMs: nowMs });
    return { state: "paused", why };
  });
}

async function stopChanged(ctx: Ctx, row: CandidateRamp): Promise<RampOutcome> {
  // Read again: a step may have been taken since.
  const now = await ctx.db.candidateRamp.findUnique({ where: { id: row.id } });
  if (now === null || !isOpen(now)) return { state: "gone" };
  const live = await getLive(ctx.db);
  if (isAsLeft(live, now)) return { state: "waiting" };
  return stop(ctx, now, await whoChanged(ctx.db, live, now));
}

/** Told to nobody where its maker did it: that person knows. */
async function stop(
  ctx: Ctx,
  row: CandidateRamp,
  { why, isOwn }: { why: string; isOwn: boolean },
): Promise<RampOutcome> {
  return inTransaction(ctx.db, async (tx) => {
    const [locked] = await tx.$queryRaw<{ left: boolean }[]>`
      SELECT jsonb_array_length(steps_done) = ${rampStepsDone(row).length}::int AS left
      FROM candidate_ramp WHERE id = ${row.id} FOR UPDATE`;
    if (locked?.left !== true) return { state: "gone" };
    const isEnded = await endRamp(ctx, tx, row, { state: "stopped", outcome: why.slice(0, 1000) });
    if (!isEnded) return { state: "gone" };
    await recordAudit(tx, ctx.actor, {
      action: "ramp.stop",
      kind: "rule",
      objectId: row.ruleId,
      sentence: `${ctx.actor.name} stopped the ramp of rule ${row.ruleId}: ${why}`,
    });
    const message = `the ramp of rule ${row.ruleId} stopped: ${why}`;
    const atMs = ctx.clock.nowMs();
    if (!isOwn) await alert(tx, { kind: "ramp-stopped", subject: row.ruleId, message, atMs });
    return { state: "stopped", why };
  });
}

async function alert(
  tx: Tx,
  { message, ...raised }: Parameters<typeof raiseAlert>[1],
): Promise<void> {
  await raiseAlert(tx, { ...raised, message: message.slice(0, 1000) });
}
