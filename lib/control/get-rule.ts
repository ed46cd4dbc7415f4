import type { RuleDetail, RuleRevision } from "@/lib/core/api/rules";
import { diffObject } from "@/lib/core/diff";
import { AppError } from "@/lib/core/errors";
import { limitSentence, planLimits } from "@/lib/core/limit-sentence";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import { actorColumn } from "@/lib/db/json";
import { firstVersions } from "@/lib/db/rule-history";
import { candidateDetail } from "./candidate-detail";
import type { Ctx } from "./context";
import { findingsOf } from "./findings";
import { getLive } from "./live-version";
import { requirePermission } from "./permission";
import { ruleRows } from "./rule-rows";

const REVISIONS_SHOWN = 100;

/** One live rule with its history. */
export async function getRule(ctx: Ctx, { id }: { id: string }): Promise<RuleDetail> {
  requirePermission(ctx, "read");
  const live = await getLive(ctx.db);
  const lanes = live.body.rules.find((rule) => rule.id === id);
  const entry = lanes?.live;
  if (entry === undefined)
    throw new AppError("not_found", `there is no rule ${id} in the live version ${live.version}`);
  const [row] = await ruleRows(ctx, ctx.db, { body: live.body, entries: [entry] });
  if (row === undefined) throw new AppError("internal", `rule ${id} gave no row`);
  const findings = await findingsOf(ctx, ctx.db, live.content);
  return {
    ...row,
    version: live.version,
    slot: entry.slot,
    rule: entry.rule,
    perPlan: planLimits(entry.rule, live.content.plans),
    candidate: await candidateDetail(ctx.db, live, lanes),
    revisions: await revisionsOf(ctx, { id, live: entry.revision }),
    lint: findings.filter((finding) => finding.kind === "rule" && finding.id === id),
  };
}

async function revisionsOf(
  { db }: Ctx,
  { id, live }: { id: string; live: number },
): Promise<RuleRevision[]> {
  const [rows, versions] = await Promise.all([
    db.revision.findMany({
      where: { kind: "rule", objectId: id },
      orderBy: { n: "desc" },
      take: REVISIONS_SHOWN + 1,
    }),
    firstVersions(db, id),
  ]);
  const revisions = rows.map((row) => ({ ...row, rule: RuleSchema.parse(row.body) }));
  return revisions.slice(0, REVISIONS_SHOWN).map((row, i) => {
    const before: Rule | null = revisions[i + 1]?.rule ?? null;
    return {
      revision: row.n,
      version: versions.get(row.n)?.version ?? 0,
      mode: row.rule.mode,
      sentence: limitSentence(row.rule),
      change: changeWords(before, row.rule),
      createdAt: row.createdAt.toISOString(),
      actor: actorColumn(row.actor),
      live: row.n === live,
      wasLive: versions.get(row.n)?.wasLive ?? false,
    };
  });
}

function changeWords(before: Rule | null, after: Rule): string {
  if (before === null) return "first revision";
  const { id } = after;
  const change = diffObject({ kind: "rule", id, body: before }, { kind: "rule", id, body: after });
  return change?.diff.map(({ sentence }) => sentence).join("; ") ?? "no change";
}
