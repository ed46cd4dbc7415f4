import type { ReactNode } from "react";
import { PageHeader } from "@/components/ui/page-header";
import { LinkTabs } from "@/components/ui/tabs";

type KeysHeaderProps = { title: string; description: string; actions?: ReactNode };

/** What both lists of secrets share: clients' keys, and tokens of Headgate's own API. */
export function KeysHeader({ title, description, actions }: KeysHeaderProps) {
  return (
    <>
      <PageHeader title={title} description={description} actions={actions} />
      <div className="mb-4">
        <LinkTabs
          label="Keys"
          tabs={[
            { href: "/keys", label: "API keys" },
            { href: "/keys/tokens", label: "Headgate API tokens" },
          ]}
        />
      </div>
    </>
  );
}
