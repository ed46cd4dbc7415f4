import { OctagonX } from "lucide-react";
import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { StopButton } from "@/components/stops/stop-button";
import { StopTable } from "@/components/stops/stop-table";
import { Banner } from "@/components/ui/banner";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { EmptyState } from "@/components/ui/empty-state";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { listStops } from "@/lib/control";
import { rollbackVersionAction } from "../rules/actions";
import { endStopAction, stopEnforcingAction } from "./actions";

export const metadata: Metadata = { title: "Stops" };

const PAGE_SIZE = 25;
const REFRESH_MS = 4000;

export default async function StopsPage({ searchParams }: { searchParams: SearchParams }) {
  const { pages } = await searchTexts(searchParams, ["pages"]);
  const place = cursorPlace(pages);
  const asked = await askFor(
    listStops(await getPageCtx(), {
      all: true,
      limit: PAGE_SIZE,
      ...(place.cursor === undefined ? {} : { cursor: place.cursor }),
    }),
  );
  if (asked.data === undefined)
    return (
      <Banner
        tone="danger"
        title={asked.problem}
        actions={<ButtonLink href="/stops">Newest stops</ButtonLink>}
      />
    );
  const { items, next } = asked.data;
  return (
    <>
      <RefreshEvery ms={REFRESH_MS} />
      <PageHeader
        title="Stops of enforcement"
        description="Rules that were set to shadow for a time. When it is over, a version enforces them again, as they were."
        breadcrumbs={[{ href: "/rules", label: "Rules" }]}
        actions={<StopButton stop={stopEnforcingAction} rollbackVersion={rollbackVersionAction} />}
      />
      {items.length === 0 ? (
        <div className="rounded-lg border bg-surface">
          <EmptyState icon={<OctagonX />} title="Enforcing was never stopped">
            The way out when rules refuse what they should not: one press sets them all to shadow,
            with an end that comes by itself.
          </EmptyState>
        </div>
      ) : (
        <div className="flex flex-col gap-4">
          <StopTable stops={items} end={endStopAction} />
          <CursorPages
            place={place}
            next={next}
            shown={items.length}
            pageSize={PAGE_SIZE}
            noun={{ one: "stop", many: "stops" }}
            path="/stops"
            query={{}}
          />
        </div>
      )}
    </>
  );
}
