import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { findDraftedRule, findRule } from "@/app/_server/rule-page";
import { RampStrip } from "@/components/candidate/ramp-strip";
import { ListRule } from "@/components/lists/list-rule";
import { DraftNotice } from "@/components/rules/draft-notice";
import { ModeBadge } from "@/components/rules/mode-badge";
import { RuleHeaderActions } from "@/components/rules/rule-header-actions";
import { Badge } from "@/components/ui/badge";
import { PageHeader } from "@/components/ui/page-header";
import { LinkTabs } from "@/components/ui/tabs";
import { UserText } from "@/components/ui/user-text";
import { listOfRule } from "@/lib/core/own-rules";
import { deleteRuleAction } from "../actions";
import { rampActions } from "../candidate-actions";
import { ruleActions } from "../rule-actions";

type Props = { params: Promise<{ id: string }>; children: ReactNode };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params;
  const name = (await findRule(decodeURIComponent(id)))?.name ?? id;
  return { title: { default: name, template: `%s · ${name} · Headgate` } };
}

export default async function RuleLayout({ params, children }: Props) {
  const id = decodeURIComponent((await params).id);
  const list = listOfRule(id);
  if (list !== null) return <ListRule list={list}>{children}</ListRule>;
  const [rule, drafted] = await Promise.all([findRule(id), findDraftedRule(id)]);
  if (rule === null && drafted === null) notFound();
  const path = `/rules/${encodeURIComponent(id)}`;
  const crumbs = [{ href: "/rules", label: "Rules" }];
  if (rule === null) {
    return (
      <>
        <PageHeader
          title={id}
          breadcrumbs={crumbs}
          badges={<Badge tone="accent">only in your draft</Badge>}
          description="It is not live: no gateway knows it before you publish."
        />
        {children}
      </>
    );
  }
  const { name, mode, sentence, revision, candidate } = rule;
  return (
    <>
      <PageHeader
        title={name}
        breadcrumbs={crumbs}
        badges={
          <>
            <ModeBadge mode={mode} />
            {rule.rule.warn === true && (
              <Badge tone="warning" title="A header tells clients what would be refused">
                warns
              </Badge>
            )}
            <UserText code className="text-sm text-muted">
              {id}
            </UserText>
          </>
        }
        description={<UserText>{sentence}</UserText>}
        actions={
          <RuleHeaderActions
            rule={{ id, name, mode, revision, sentence }}
            actions={ruleActions}
            remove={deleteRuleAction}
            isDeleted={drafted?.op === "delete"}
          />
        }
      />
      {drafted && <DraftNotice change={drafted} />}
      {candidate?.ramp && <RampStrip ramp={candidate.ramp} actions={rampActions} />}
      <LinkTabs
        label="Pages of the rule"
        tabs={[
          { href: path, label: "Overview" },
          { href: `${path}/report`, label: "Report" },
          {
            href: `${path}/candidate`,
            label:
              candidate === null ? (
                "Candidate"
              ) : (
                <>
                  Candidate{" "}
                  <Badge tone="accent">
                    {candidate.isShared ? candidate.shareWords : "in shadow"}
                  </Badge>
                </>
              ),
          },
          { href: `${path}/log`, label: "Log" },
          { href: `${path}/history`, label: "History" },
          { href: `${path}/edit`, label: "Edit" },
        ]}
      />
      <div className="pt-4">{children}</div>
    </>
  );
}
