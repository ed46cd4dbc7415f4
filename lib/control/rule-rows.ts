import type { RuleRow } from "@/lib/core/api/rules";
import { limitSentence } from "@/lib/core/limit-sentence";
import type { Body, RevisionEntry } from "@/lib/core/ruleset";
import type { Reader } from "@/lib/db/client";
import { findDraft } from "@/lib/db/drafts";
import { actorColumn } from "@/lib/db/json";
import { liveSince } from "@/lib/db/rule-history";
import type { Ctx } from "./context";
import { draftOwner } from "./draft-owner";
import { ruleHits } from "./rule-hits";

/** Rows of live rules, in the order given. */
export async function ruleRows(
  ctx: Ctx,
  reader: Reader,
  { body, entries }: { body: Body; entries: readonly RevisionEntry[] },
): Promise<RuleRow[]> {
  const shares = new Map(
    body.rules.flatMap(({ id, candidate, share = 0 }) =>
      candidate === undefined ? [] : [[id, share] as const],
    ),
  );
  const rules = entries.map(({ rule }) => rule);
  const ids = rules.map(({ id }) => id);
  const [hits, since, draft] = await Promise.all([
    ruleHits(reader, rules, ctx.clock.nowMs()),
    liveSince(reader, ids),
    findDraft(reader, draftOwner(ctx.actor)),
  ]);
  const versions = await reader.version.findMany({
    where: { number: { in: [...new Set(since.values())] } },
    select: { number: true, actor: true, createdAt: true },
  });
  const versionOf = new Map(versions.map((version) => [version.number, version]));
  const drafted = new Set(
    (draft?.items ?? []).filter(({ kind }) => kind === "rule").map(({ objectId }) => objectId),
  );
  return entries.map(({ rule, revision }) => {
    const sinceVersion = since.get(rule.id);
    const version = sinceVersion === undefined ? undefined : versionOf.get(sinceVersion);
    const counted = hits.get(rule.id);
    if (sinceVersion === undefined || version === undefined || counted === undefined)
      throw new Error(`rule ${rule.id} is live in no version`);
    return {
      id: rule.id,
      name: rule.name,
      mode: rule.mode,
      revision,
      sentence: limitSentence(rule),
      countBy: rule.countBy,
      hits: counted,
      sinceVersion,
      changedAt: version.createdAt.toISOString(),
      changedBy: actorColumn(version.actor),
      hasDraft: drafted.has(rule.id),
      candidateShare: shares.get(rule.id) ?? null,
    };
  });
}
