import type { Metadata } from "next";
import { getPageCtx } from "@/app/_server/session";
import { DraftText } from "@/components/draft/draft-text";
import { PageHeader } from "@/components/ui/page-header";
import { getDraftContent } from "@/lib/control";
import { writeRuleset } from "@/lib/core/ruleset-yaml";
import { diffTextAction, saveTextAction } from "../actions";

export const metadata: Metadata = { title: "Draft as YAML" };

export default async function DraftTextPage() {
  const { baseVersion, tag, content } = await getDraftContent(await getPageCtx());
  return (
    <>
      <PageHeader
        title="Draft as YAML"
        description={`The whole ruleset on v${baseVersion} with your changes. headgate pull writes the same text.`}
        breadcrumbs={[{ href: "/draft", label: "Review draft" }]}
      />
      <DraftText
        key={tag}
        text={writeRuleset(content)}
        tag={tag}
        save={saveTextAction}
        diff={diffTextAction}
      />
    </>
  );
}
