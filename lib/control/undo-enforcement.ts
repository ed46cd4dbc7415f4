import { AppError } from "@/lib/core/errors";
import { isEqual } from "@/lib/core/field-diff";
import { percent } from "@/lib/core/guardrail-words";
import { inTransaction, type Tx } from "@/lib/db/client";
import type { Enforcement } from "@/lib/db/generated/client";
import { actorColumn, jsonColumn } from "@/lib/db/json";
import { databaseNow } from "@/lib/db/now";
import { commitVersion } from "./commit-version";
import { type Ctx, GUARDRAIL, withActor } from "./context";
import {
  CountedSchema,
  JudgementSchema,
  PredictedSchema,
  RuleStateSchema,
  ruleState,
  undoWords,
  withRuleState,
} from "./enforcement-columns";
import { heldMessage } from "./judge-enforcements";
import { requirePermission } from "./permission";
import { raiseAlert } from "./raise-alert";
import { resolveAlert } from "./resolve-alert";
import { watchAnew } from "./watch-anew";

export type UndoOutcome =
  | { state: "undone"; version: number }
  | { state: "held"; why: string }
  /** Somebody else did it, or took the rule out of enforce, or ended the watch. */
  | { state: "gone" };

/**
 * Takes one rule's change back, and nothing else of the live version. Done once, also by several workers and beside
 * people: looked at again under the lock of all commits. It is a way back, so it asks nobody and for nothing.
 */
export async function undoEnforcement(ctx: Ctx, { id }: { id: string }): Promise<UndoOutcome> {
  requirePermission(ctx, "rollback");
  try {
    return { state: "undone", version: await commitUndo(withActor(ctx, GUARDRAIL), id) };
  } catch (error) {
    if (error instanceof GoneError) return { state: "gone" };
    if (!(error instanceof AppError) || error.code === "unavailable" || error.code === "internal")
      throw error;
    return hold(ctx, id, error.message);
  }
}

class GoneError extends Error {}

async function commitUndo(ctx: Ctx, id: string): Promise<number> {
  const { version } = await commitVersion(
    ctx,
    async (tx) => {
      await due(tx, id);
      return { versions: [], edits: [] };
    },
    async (tx, live) => {
      const row = await due(tx, id);
      const { ruleId } = row;
      const [before, after] = [RuleStateSchema.parse(row.before), RuleStateSchema.parse(row.after)];
      if (!isEqual(ruleState(live.content, ruleId), after))
        throw new AppError("conflict", "the rule was changed since, so that change is not undone");
      const { why } = JudgementSchema.parse(row.judgement);
      const by = actorColumn(row.actor).name;
      const to = undoWords(before, after) ?? "what it was";
      const measured = why.join("; ");
      return {
        kind: "rollback",
        message: `${ruleId}: back to ${to} by its guardrail: ${measured}`.slice(0, 500),
        content: withRuleState(live.content, ruleId, before),
        evidence: "exempt",
        isUndo: true,
        audit: {
          action: "guardrail.undo",
          kind: "rule",
          objectId: ruleId,
          did: `took back what ${by} enforced of rule ${ruleId} with version ${row.version} (${row.change}): ${measured}; it is back to ${to}`,
          reason: measured,
          before: after,
          after: before,
          details: {
            enforcedBy: row.version,
            guardrail: row.guardrail,
            predicted: row.predicted,
            actual: row.actual,
            judgement: row.judgement,
          },
        },
        also: (tx) => finish(tx, row, { version: live.version + 1, to, measured }),
      };
    },
  );
  return version;
}

/** Locked, so that nobody looks at it meanwhile; after the installation, as every commit does. */
async function due(tx: Tx, id: string): Promise<Enforcement> {
  await tx.$queryRaw`SELECT id FROM enforcement WHERE id = ${id} FOR UPDATE`;
  const row = await tx.enforcement.findUnique({ where: { id } });
  if (row === null || row.state !== "watching" || row.judgement === null) throw new GoneError();
  if (JudgementSchema.parse(row.judgement).verdict !== "undo") throw new GoneError();
  return row;
}

type Undone = { version: number; to: string; measured: string };

async function finish(tx: Tx, row: Enforcement, { version, to, measured }: Undone): Promise<void> {
  const now = await databaseNow(tx);
  const outcome = `version ${version} brought it back to ${to}: ${measured}`;
  await tx.enforcement.update({
    where: { id: row.id },
    data: { state: "undone", stateAt: now, heldFor: null, undoneVersion: version, outcome },
  });
  await watchAgain(tx, row);
  const subject = row.ruleId;
  await resolveAlert(tx, { kinds: ["guardrail-held"], subject, atMs: now.getTime() });
  await raiseAlert(tx, {
    kind: "guardrail-undone",
    subject,
    message:
      `Rule ${subject} is back to ${to} by its guardrail, with version ${version}: ${measured} (${comparedWords(row)})`.slice(
        0,
        1000,
      ),
    atMs: now.getTime(),
  });
}

/** What is live again had not passed when it was changed further: it is watched on. */
async function watchAgain(tx: Tx, { replaces, before }: Enforcement): Promise<void> {
  if (replaces === null) return;
  const row = await tx.enforcement.findUnique({ where: { id: replaces } });
  if (row?.state !== "ended" || !isEqual(row.after, before)) return;
  await tx.enforcement.update({ where: { id: replaces }, data: await watchAnew(tx, row) });
}

function comparedWords(row: Enforcement): string {
  const actual = CountedSchema.parse(row.actual);
  const shareOf = ({ requests, rejections }: { requests: number; rejections: number }) =>
    percent(requests === 0 ? 0 : rejections / requests);
  const since = `${shareOf(actual)} rejected since version ${row.version}`;
  if (row.predicted === null) return since;
  return `${since}, ${shareOf(PredictedSchema.parse(row.predicted))} predicted`;
}

/** It could not be taken back: a person must. */
async function hold(ctx: Ctx, id: string, message: string): Promise<UndoOutcome> {
  return inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`SELECT id FROM enforcement WHERE id = ${id} FOR UPDATE`;
    const row = await tx.enforcement.findUnique({ where: { id } });
    if (row?.state !== "watching" || row.judgement === null) return { state: "gone" };
    const judgement = JudgementSchema.parse(row.judgement);
    const why = [...judgement.why, message];
    const now = await databaseNow(tx);
    await tx.enforcement.update({
      where: { id },
      data: {
        state: "held",
        stateAt: now,
        heldFor: "crossing",
        judgement: jsonColumn({ ...judgement, verdict: "hold", why }),
      },
    });
    await raiseAlert(tx, {
      kind: "guardrail-held",
      subject: row.ruleId,
      message: heldMessage(row, { heldFor: "crossing", why }),
      atMs: now.getTime(),
    });
    return { state: "held", why: message };
  });
}
