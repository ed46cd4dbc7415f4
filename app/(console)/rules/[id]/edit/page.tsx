import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { type SearchParams, searchTexts } from "@/app/_server/page-input";
import { findDraftedRule, findRule, getEditorContent, getOwnDraft } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { RestoreDeleted } from "@/components/rules/restore-deleted";
import { RuleEditor } from "@/components/rules/rule-editor";
import { recordAt } from "@/components/rules/rule-input";
import { revertItemAction, saveRuleAction } from "../../actions";
import { tryCandidateAction } from "../../candidate-server-actions";

export const metadata: Metadata = { title: "Edit" };

type Props = { params: Promise<{ id: string }>; searchParams: SearchParams };

export default async function EditRulePage({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id);
  const { of } = await searchTexts(searchParams, ["of"]);
  const ctx = await getPageCtx();
  const [rule, drafted, { baseVersion }, content] = await Promise.all([
    findRule(id),
    findDraftedRule(id),
    getOwnDraft(),
    getEditorContent(ctx),
  ]);
  if (drafted?.op === "delete")
    return <RestoreDeleted id={id} edit={drafted.edit} revert={revertItemAction} />;
  const tried = rule?.candidate ?? null;
  const isOfCandidate = of === "candidate" && tried !== null;
  const saved = isOfCandidate ? tried.rule : (drafted?.after ?? rule?.rule);
  if (saved === undefined) notFound();
  return (
    <RuleEditor
      isNew={false}
      saved={recordAt({ saved }, ["saved"])}
      seen={{
        edit: drafted?.edit ?? 0,
        baseVersion: drafted === null ? (rule?.version ?? 0) : baseVersion,
      }}
      live={rule && { rule: rule.rule, revision: rule.revision }}
      content={content}
      save={saveRuleAction}
      {...(rule?.mode === "enforce"
        ? {
            beside: {
              tryCandidate: tryCandidateAction,
              seenVersion: rule.version,
              sharedNow: tried?.isShared === true ? tried.shareWords : null,
              isOfCandidate,
            },
          }
        : {})}
      cancelHref={rule === null ? "/draft" : `/rules/${encodeURIComponent(id)}`}
    />
  );
}
