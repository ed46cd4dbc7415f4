import type { Metadata } from "next";
import { numberText, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { findRevisionDiff } from "@/app/_server/revision-diff";
import { getLiveRule } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { RuleHistory } from "@/components/rules/rule-history";
import { ruleActions } from "../../rule-actions";

export const metadata: Metadata = { title: "History" };

type Props = { params: Promise<{ id: string }>; searchParams: SearchParams };

export default async function RuleHistoryPage({ params, searchParams }: Props) {
  const rule = await getLiveRule(decodeURIComponent((await params).id));
  const asked = await searchTexts(searchParams, ["from", "to"]);
  const from = numberText(asked.from);
  const to = numberText(asked.to);
  const compared =
    from === undefined || to === undefined
      ? null
      : await findRevisionDiff(await getPageCtx(), { rule, from, to });
  return (
    <RuleHistory
      rule={{ id: rule.id, name: rule.name }}
      revisions={rule.revisions}
      compared={compared}
      actions={ruleActions}
    />
  );
}
