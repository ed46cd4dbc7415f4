import { type Ctx, getVersion } from "@/lib/control";
import type { FieldDiff } from "@/lib/core/api/change";
import type { RuleDetail } from "@/lib/core/api/rules";
import { countersRestart } from "@/lib/core/diff-counting";
import { diffRule } from "@/lib/core/diff-rule";
import type { Rule } from "@/lib/core/rule";
import { contentOf } from "@/lib/core/ruleset-objects";

export type RevisionDiff = {
  from: number;
  to: number;
  diff: FieldDiff[];
  countersRestart: boolean;
};

/** What one revision of a rule has that another has not; null when an address names one that is not there. */
export async function findRevisionDiff(
  ctx: Ctx,
  { rule, from, to }: { rule: RuleDetail; from: number; to: number },
): Promise<RevisionDiff | null> {
  const [before, after] = await Promise.all([
    findRevision(ctx, rule, from),
    findRevision(ctx, rule, to),
  ]);
  if (before === null || after === null) return null;
  const diff = diffRule(before, after);
  return { from, to, diff, countersRestart: countersRestart(before, after) };
}

async function findRevision(ctx: Ctx, rule: RuleDetail, revision: number): Promise<Rule | null> {
  const found = rule.revisions.find((each) => each.revision === revision);
  if (found === undefined) return null;
  const { body } = await getVersion(ctx, { number: found.version });
  return contentOf(body).rules.find(({ id }) => id === rule.id) ?? null;
}
