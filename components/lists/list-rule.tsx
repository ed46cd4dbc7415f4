import type { ReactNode } from "react";
import { PageHeader } from "@/components/ui/page-header";
import { LinkTabs } from "@/components/ui/tabs";
import { UserText } from "@/components/ui/user-text";
import { LIST_WORDS } from "./list-words";

type ListRuleProps = { list: "deny" | "flood"; children: ReactNode };

/** What a list drops is counted like a rule: the same report and log, and nothing to edit here. */
export function ListRule({ list, children }: ListRuleProps) {
  const { title, does } = LIST_WORDS[list];
  const id = `_${list}`;
  return (
    <>
      <PageHeader
        title={`${title} list`}
        breadcrumbs={[{ href: "/lists", label: "Lists" }]}
        badges={
          <UserText code className="text-sm text-muted">
            {id}
          </UserText>
        }
        description={does}
      />
      <LinkTabs
        label="Pages of the list"
        tabs={[
          { href: `/rules/${id}/report`, label: "Report" },
          { href: `/rules/${id}/log`, label: "Log" },
        ]}
      />
      <div className="pt-4">{children}</div>
    </>
  );
}
