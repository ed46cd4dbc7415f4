import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { findDraftedRule, findRule, getEditorContent, getOwnDraft } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { RestoreDeleted } from "@/components/rules/restore-deleted";
import { RuleEditor } from "@/components/rules/rule-editor";
import { recordAt } from "@/components/rules/rule-input";
import { revertItemAction, saveRuleAction } from "../../actions";

export const metadata: Metadata = { title: "Edit" };

export default async function EditRulePage({ params }: { params: Promise<{ id: string }> }) {
  const id = decodeURIComponent((await params).id);
  const ctx = await getPageCtx();
  const [rule, drafted, { baseVersion }, content] = await Promise.all([
    findRule(id),
    findDraftedRule(id),
    getOwnDraft(),
    getEditorContent(ctx),
  ]);
  if (drafted?.op === "delete")
    return <RestoreDeleted id={id} edit={drafted.edit} revert={revertItemAction} />;
  const saved = drafted?.after ?? rule?.rule;
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
      cancelHref={rule === null ? "/draft" : `/rules/${encodeURIComponent(id)}`}
    />
  );
}
