import { isShared } from "@/lib/core/candidate";
import { isEqual } from "@/lib/core/field-diff";
import type { Rule } from "@/lib/core/rule";
import type { Content } from "@/lib/core/ruleset-objects";
import type { Tx } from "@/lib/db/client";
import type { Enforcement } from "@/lib/db/generated/client";
import { jsonColumn } from "@/lib/db/json";
import { databaseNow } from "@/lib/db/now";
import type { CommitPlan } from "./commit-plan";
import { actorName, type Ctx } from "./context";
import { OPEN_STATES, type RuleState, RuleStateSchema, ruleState } from "./enforcement-columns";
import { countEnforced, predictRejections } from "./enforcement-counts";
import type { LoadedVersion } from "./live-version";
import { stricterRules } from "./missing-evidence";
import { randomId } from "./random-id";
import { resolveAlert } from "./resolve-alert";

type Item = { kind: string; objectId: string; revision: number; lane: "live" | "candidate" };

type Made = {
  live: LoadedVersion;
  content: Content;
  version: number;
  since: Date;
  items: readonly Item[];
  plan: Pick<CommitPlan, "guardrail">;
};

/**
 * With every version, whatever door it came through: what it makes enforced or stricter is watched from now on, with
 * what shadow foretold frozen; what it takes back, or changes further, is no longer.
 */
export async function recordEnforcements(ctx: Ctx, tx: Tx, made: Made): Promise<void> {
  const { live, content, version } = made;
  const begun = new Map<string, Begun>();
  for (const { rule, because } of stricterRules(live.content, content)) {
    const { id } = rule;
    const held = begun.get(id) ?? { id, rules: [], because: [], replaces: null };
    begun.set(id, {
      ...held,
      rules: [...held.rules, rule],
      because: [...held.because, because],
    });
  }
  const open = await tx.enforcement.findMany({ where: { state: { in: OPEN_STATES } } });
  for (const row of open) {
    const next = begun.get(row.ruleId);
    if (next === undefined) {
      await follow(ctx, tx, row, made);
      continue;
    }
    const outcome = `version ${version} changed the rule further, which is watched instead`;
    if (await close(ctx, tx, row, outcome)) begun.set(row.ruleId, { ...next, replaces: row.id });
  }
  for (const each of begun.values()) await begin(ctx, tx, made, each);
  await endAlerts(tx, made);
}

type Begun = { id: string; rules: Rule[]; because: string[]; replaces: string | null };

async function begin(
  ctx: Ctx,
  tx: Tx,
  { live, content, version, since, items, plan }: Made,
  { id, rules, because, replaces }: Begun,
): Promise<void> {
  const after = ruleState(content, id);
  const isOf = (lane: Item["lane"]) =>
    rules.some((rule) => rule === (lane === "live" ? after.rule : after.candidate?.rule));
  const revisions = items
    .filter((item) => item.kind === "rule" && item.objectId === id && isOf(item.lane))
    .map(({ revision }) => revision);
  const last = await tx.enforcement.findFirst({ where: { ruleId: id }, orderBy: NEWEST });
  // Enforced again as it was, after a stop or a rollback: by the bounds that were meant for it.
  const isAgain = last !== null && isEqual(RuleStateSchema.parse(last.after), after);
  const usual = isAgain ? last.guardrail : live.content.settings.guardrail;
  const guardrail = plan.guardrail === undefined ? usual : plan.guardrail;
  const counted = await predictRejections(tx, { rules, nowMs: ctx.clock.nowMs() });
  const predicted = counted ?? (isAgain ? last.predicted : null);
  const base = await countEnforced(tx, { ruleId: id, revisions, sinceMs: since.getTime() });
  const { requests, rejections } = base;
  await tx.enforcement.create({
    data: {
      id: randomId(),
      ruleId: id,
      lane: isOf("live") ? "live" : "candidate",
      revisions,
      version,
      since,
      actor: jsonColumn(actorName(ctx.actor)),
      change: because.join("; "),
      before: jsonColumn(stateBefore(ruleState(live.content, id), after)),
      after: jsonColumn(after),
      ...(guardrail === null ? {} : { guardrail: jsonColumn(guardrail) }),
      ...(predicted === null ? {} : { predicted: jsonColumn(predicted) }),
      replaces,
      base: jsonColumn(base),
      watchedBase: jsonColumn(base),
      looks: jsonColumn([{ atMs: since.getTime(), requests, rejections }]),
      actual: jsonColumn({ requests: 0, rejections: 0, byPlan: [] }),
      state: guardrail === null ? "ended" : "watching",
      stateAt: since,
      outcome: guardrail === null ? "no guardrail was wanted" : null,
    },
  });
}

/** Two may be of one version only after a database was restored. */
export const NEWEST = [{ version: "desc" as const }, { since: "desc" as const }];

/** What an undo brings back. A rule that began enforced goes to shadow: it goes on to be counted. */
function stateBefore(before: RuleState, { rule }: RuleState): RuleState {
  if (before.rule !== null || rule === null) return before;
  return { rule: { ...rule, mode: "shadow" }, candidate: null };
}

/** What is open, of a rule that this version makes no stricter. */
async function follow(
  ctx: Ctx,
  tx: Tx,
  row: Enforcement,
  { live, content, version, items }: Made,
): Promise<void> {
  const state = ruleState(content, row.ruleId);
  if (isEqual(state, ruleState(live.content, row.ruleId))) return;
  const revisionIn = (lane: Item["lane"]) =>
    items.find((item) => item.kind === "rule" && item.objectId === row.ruleId && item.lane === lane)
      ?.revision;
  const lived = state.rule?.mode === "enforce" ? revisionIn("live") : undefined;
  const tried = isShared(state.candidate?.share) ? revisionIn("candidate") : undefined;
  // A promoted candidate goes on as the live revision.
  const isPromoted = lived !== undefined && row.revisions.includes(lived);
  const revision = row.lane === "live" || isPromoted ? lived : tried;
  if (revision === undefined) {
    const isBack = isEqual(state, RuleStateSchema.parse(row.before));
    await close(
      ctx,
      tx,
      row,
      isBack ? `version ${version} took it back` : `version ${version} took it out of enforce`,
    );
  } else if (!row.revisions.includes(revision))
    await tx.enforcement.update({
      where: { id: row.id },
      data: { revisions: { push: revision } },
    });
}

/** False when its watch ended by itself meanwhile. */
async function close(ctx: Ctx, tx: Tx, row: Enforcement, outcome: string): Promise<boolean> {
  const { count } = await tx.enforcement.updateMany({
    where: { id: row.id, state: { in: OPEN_STATES } },
    data: {
      state: "ended",
      stateAt: await databaseNow(tx),
      heldFor: null,
      endedBy: jsonColumn(actorName(ctx.actor)),
      outcome,
    },
  });
  return count > 0;
}

/** What was told of a rule is settled once somebody changes it. */
async function endAlerts(tx: Tx, { live, content }: Made): Promise<void> {
  const kinds = ["guardrail-held", "guardrail-undone"] as const;
  const open = await tx.alert.findMany({
    where: { kind: { in: [...kinds] }, resolvedAt: null },
    select: { subject: true },
  });
  for (const subject of new Set(open.map((alert) => alert.subject))) {
    if (isEqual(ruleState(live.content, subject), ruleState(content, subject))) continue;
    await resolveAlert(tx, { kinds, subject, atMs: (await databaseNow(tx)).getTime() });
  }
}
