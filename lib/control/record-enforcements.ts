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
import { countAllEnforced, NOTHING, predictAllRejections } from "./enforcement-counts";
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
  const ends = createEnds();
  for (const { rule, because } of stricterRules(live.content, content)) {
    const { id } = rule;
    const held = begun.get(id) ?? { id, rules: [], because: [], replaces: null };
    begun.set(id, {
      ...held,
      rules: [...held.rules, rule],
      because: [...held.because, because],
    });
  }
  const changed = changedRules(live.content, content);
  for (const row of await openOf(tx, [...new Set([...changed, ...begun.keys()])])) {
    const next = begun.get(row.ruleId);
    if (next === undefined) await follow(tx, row, made, ends);
    else {
      ends.add(row.id, `version ${version} changed the rule further, which is watched instead`);
      begun.set(row.ruleId, { ...next, replaces: row.id });
    }
  }
  await ends.write(ctx, tx);
  await begin(ctx, tx, made, [...begun.values()]);
  await endAlerts(tx, changed);
}

/** By id; what is the same object was not touched. */
function changedRules(before: Content, after: Content): Set<string> {
  const changed = new Set<string>();
  for (const kind of ["rules", "candidates"] as const) {
    const old = new Map<string, unknown>(before[kind].map((each) => [each.id, each]));
    for (const each of after[kind]) {
      const was = old.get(each.id);
      if (was !== each && !isEqual(was, each)) changed.add(each.id);
      old.delete(each.id);
    }
    for (const id of old.keys()) changed.add(id);
  }
  return changed;
}

/** Locked: one that a look ends meanwhile is not among them. */
async function openOf(tx: Tx, ruleIds: string[]): Promise<Enforcement[]> {
  if (ruleIds.length === 0) return [];
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM enforcement WHERE rule_id = ANY(${ruleIds}::text[]) AND state = ANY(${OPEN_STATES}::text[])
    ORDER BY id FOR UPDATE`;
  if (locked.length === 0) return [];
  return tx.enforcement.findMany({ where: { id: { in: locked.map(({ id }) => id) } } });
}

type Begun = { id: string; rules: Rule[]; because: string[]; replaces: string | null };

/** A publish may begin a thousand: they are asked for and written together. */
async function begin(
  ctx: Ctx,
  tx: Tx,
  { live, content, version, since, items, plan }: Made,
  begun: readonly Begun[],
): Promise<void> {
  if (begun.length === 0) return;
  const lasts = await lastOf(
    tx,
    begun.map(({ id }) => id),
  );
  const predictions = await predictAllRejections(tx, {
    rules: begun.flatMap(({ rules }) => rules),
    nowMs: ctx.clock.nowMs(),
  });
  const rows = begun.map(({ id, rules, because, replaces }) => {
    const after = ruleState(content, id);
    const isOf = (lane: Item["lane"]) =>
      rules.some((rule) => rule === (lane === "live" ? after.rule : after.candidate?.rule));
    const revisions = items
      .filter((item) => item.kind === "rule" && item.objectId === id && isOf(item.lane))
      .map(({ revision }) => revision);
    const last = lasts.get(id);
    // Enforced again as it was, after a stop or a rollback: by the bounds that were meant for it.
    const again =
      last !== undefined && isEqual(RuleStateSchema.parse(last.after), after) ? last : null;
    const usual = again === null ? live.content.settings.guardrail : again.guardrail;
    const guardrail = plan.guardrail === undefined ? usual : plan.guardrail;
    const predicted = predictions.get(id) ?? again?.predicted ?? null;
    return {
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
      state: guardrail === null ? "ended" : "watching",
      stateAt: since,
      outcome: guardrail === null ? "no guardrail was wanted" : null,
    };
  });
  const sinceMs = since.getTime();
  const counted = await countAllEnforced(
    tx,
    rows.map(({ id, ruleId, revisions }) => ({ id, ruleId, revisions, sinceMs })),
  );
  await tx.enforcement.createMany({
    data: rows.map((row) => {
      const base = counted.get(row.id) ?? NOTHING;
      const { requests, rejections } = base;
      return {
        ...row,
        base: jsonColumn(base),
        watchedBase: jsonColumn(base),
        looks: jsonColumn([{ atMs: sinceMs, requests, rejections }]),
        actual: jsonColumn(NOTHING),
      };
    }),
  });
}

async function lastOf(tx: Tx, ruleIds: string[]): Promise<Map<string, Enforcement>> {
  const rows = await tx.enforcement.findMany({
    where: { ruleId: { in: ruleIds } },
    orderBy: NEWEST,
    distinct: ["ruleId"],
  });
  return new Map(rows.map((row) => [row.ruleId, row]));
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
  tx: Tx,
  row: Enforcement,
  { content, version, items }: Made,
  ends: Ends,
): Promise<void> {
  const state = ruleState(content, row.ruleId);
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
    ends.add(row.id, `version ${version} took it ${isBack ? "back" : "out of enforce"}`);
  } else if (!row.revisions.includes(revision))
    await tx.enforcement.update({
      where: { id: row.id },
      data: { revisions: { push: revision } },
    });
}

type Ends = ReturnType<typeof createEnds>;

/** Those that end, by what is said of it. */
function createEnds() {
  const idsOf = new Map<string, string[]>();
  return {
    add: (id: string, outcome: string) => {
      idsOf.set(outcome, [...(idsOf.get(outcome) ?? []), id]);
    },
    write: async (ctx: Ctx, tx: Tx): Promise<void> => {
      if (idsOf.size === 0) return;
      const stateAt = await databaseNow(tx);
      const endedBy = jsonColumn(actorName(ctx.actor));
      for (const [outcome, ids] of idsOf)
        await tx.enforcement.updateMany({
          where: { id: { in: ids } },
          data: { state: "ended", stateAt, heldFor: null, endedBy, outcome },
        });
    },
  };
}

/** What was told of a rule is settled once somebody changes it. */
async function endAlerts(tx: Tx, changed: ReadonlySet<string>): Promise<void> {
  if (changed.size === 0) return;
  const kinds = ["guardrail-held", "guardrail-undone"] as const;
  const open = await tx.alert.findMany({
    where: { kind: { in: [...kinds] }, resolvedAt: null, subject: { in: [...changed] } },
    select: { subject: true },
  });
  if (open.length === 0) return;
  const atMs = (await databaseNow(tx)).getTime();
  for (const subject of new Set(open.map((alert) => alert.subject)))
    await resolveAlert(tx, { kinds, subject, atMs });
}
