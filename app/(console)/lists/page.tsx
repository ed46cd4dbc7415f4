import type { Metadata } from "next";
import { getDraftedLists } from "@/app/_server/drafted-lists";
import { type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { revertItemAction } from "@/app/(console)/rules/actions";
import { ListCard } from "@/components/lists/list-card";
import { listSections } from "@/components/lists/list-sections";
import { Banner } from "@/components/ui/banner";
import { FilterBar } from "@/components/ui/filter-bar";
import { formatPlural } from "@/components/ui/format";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { getLists } from "@/lib/control";
import { removeEntryAction, saveEntriesAction } from "./actions";

export const metadata: Metadata = { title: "Lists" };

const REFRESH_MS = 5000;
const actions = { save: saveEntriesAction, remove: removeEntryAction, revert: revertItemAction };

export default async function ListsPage({ searchParams }: { searchParams: SearchParams }) {
  const { q = "", deny } = await searchTexts(searchParams, ["q", "deny"]);
  const ctx = await getPageCtx();
  const [{ version, hits }, lists] = await Promise.all([getLists(ctx), getDraftedLists(ctx)]);
  const { base, drafted, edits } = lists;
  const sections = listSections({ base, drafted, changes: edits, hits, search: q });
  const changed = sections.filter(({ change }) => change !== null).length;
  return (
    <>
      <RefreshEvery ms={REFRESH_MS} />
      <PageHeader
        title="Lists"
        description={`Looked at before any rule, without Redis, as of v${version}. Of deny and allow the narrowest entry decides: a key before its customer before an address, a longer prefix before a shorter.`}
      />
      <div className="flex flex-col gap-5">
        {changed > 0 && (
          <Banner
            tone="info"
            title={`Your draft changes ${formatPlural(changed, "list")}: not live yet`}
            actions={<ButtonLink href="/draft">Review and publish</ButtonLink>}
          />
        )}
        <FilterBar filters={[{ kind: "search", key: "q", label: "Value or reason" }]} />
        {sections.map((section) => (
          <ListCard
            key={section.name}
            section={section}
            isSearched={q.trim() !== ""}
            asked={section.name === "deny" ? deny : undefined}
            actions={actions}
          />
        ))}
      </div>
    </>
  );
}
