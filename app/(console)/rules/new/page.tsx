import type { Metadata } from "next";
import { getEditorContent } from "@/app/_server/rule-page";
import { getPageCtx } from "@/app/_server/session";
import { NEW_RULE } from "@/components/rules/new-rule";
import { RuleEditor } from "@/components/rules/rule-editor";
import { PageHeader } from "@/components/ui/page-header";
import { saveRuleAction } from "../actions";

export const metadata: Metadata = { title: "New rule" };

export default async function NewRulePage() {
  const content = await getEditorContent(await getPageCtx());
  return (
    <>
      <PageHeader
        title="New rule"
        breadcrumbs={[{ href: "/rules", label: "Rules" }]}
        description="It starts in shadow: once published it counts and logs, and changes no answer."
      />
      <RuleEditor
        isNew
        saved={NEW_RULE}
        seen={{ edit: 0, baseVersion: 0 }}
        live={null}
        content={content}
        save={saveRuleAction}
        cancelHref="/rules"
      />
    </>
  );
}
