import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { rollbackVersionAction } from "@/app/(console)/rules/actions";
import { Banner } from "@/components/ui/banner";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { CompareForm } from "@/components/versions/compare-form";
import { VersionTimeline } from "@/components/versions/version-timeline";
import { listVersions } from "@/lib/control";

export const metadata: Metadata = { title: "Versions" };

const PAGE_SIZE = 25;
const REFRESH_MS = 5000;

export default async function VersionsPage({ searchParams }: { searchParams: SearchParams }) {
  const { pages } = await searchTexts(searchParams, ["pages"]);
  const place = cursorPlace(pages);
  const ctx = await getPageCtx();
  const asked = await askFor(
    listVersions(ctx, {
      limit: PAGE_SIZE,
      ...(place.cursor === undefined ? {} : { cursor: place.cursor }),
    }),
  );
  if (asked.data === undefined)
    return (
      <Banner
        tone="danger"
        title={asked.problem}
        actions={<ButtonLink href="/versions">Newest versions</ButtonLink>}
      />
    );
  const { items, next, current } = asked.data;
  return (
    <>
      {place.cursor === undefined && <RefreshEvery ms={REFRESH_MS} />}
      <PageHeader
        title="Versions"
        description={`Every publish, mode change and roll back is a version of the whole ruleset. v${current} is live.`}
        actions={
          items.length > 1 && (
            <CompareForm
              key={current}
              versions={items}
              from={items.find(({ version }) => version < current)?.version ?? current}
              to={current}
            />
          )
        }
      />
      <div className="flex flex-col gap-4">
        <VersionTimeline
          versions={items}
          current={current}
          rollbackVersion={rollbackVersionAction}
        />
        <CursorPages
          place={place}
          next={next}
          shown={items.length}
          pageSize={PAGE_SIZE}
          noun={{ one: "version", many: "versions" }}
          path="/versions"
          query={{}}
        />
      </div>
    </>
  );
}
