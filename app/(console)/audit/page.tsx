import { ScrollText } from "lucide-react";
import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { AuditFilters } from "@/components/audit/audit-filters";
import { AuditList } from "@/components/audit/audit-list";
import { rangeKeys, rangeQuery, timeRange } from "@/components/report/time-range";
import { Banner } from "@/components/ui/banner";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { EmptyState } from "@/components/ui/empty-state";
import { ExportLinks } from "@/components/ui/export-links";
import { formatUtc } from "@/components/ui/format";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { listAudit } from "@/lib/control";
import type { AuditQuery } from "@/lib/core/api/audit";

export const metadata: Metadata = { title: "Audit" };

const PAGE_SIZE = 50;
const FILTERS = ["q", "by", "kind", "object", "actor", "version"] as const;
const BY = ["user", "token", "system"] as const;

export default async function AuditPage({ searchParams }: { searchParams: SearchParams }) {
  const address = await searchTexts(searchParams, [...FILTERS, "range", "from", "to", "pages"]);
  const ctx = await getPageCtx();
  const nowMs = ctx.clock.nowMs();
  const times = rangeKeys(address);
  const range = Object.keys(times).length === 0 ? null : timeRange(address, nowMs);
  const { q, kind, object, actor, version } = address;
  const by: AuditQuery["by"] = BY.find((each) => each === address.by);
  const filters = Object.fromEntries(
    Object.entries({ q, by, kind, object, actor, version }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    ),
  );
  const place = cursorPlace(address.pages);
  const asked = await askFor(
    listAudit(ctx, {
      ...filters,
      ...(range === null ? {} : rangeQuery(range)),
      ...(place.cursor === undefined ? {} : { cursor: place.cursor }),
      limit: PAGE_SIZE,
    }),
  );
  const query = { ...filters, ...times };
  return (
    <>
      <PageHeader
        title="Audit"
        actions={
          <ExportLinks
            path="/api/v1/audit/export"
            query={{ ...filters, ...(range === null ? {} : rangeQuery(range)) }}
            of="All rows that fit"
          />
        }
        description="Who changed what, when and why. Rows are only ever added; the database refuses anything else."
      />
      <div className="flex flex-col gap-3">
        <AuditFilters query={query} range={range} nowMs={nowMs} />
        {asked.data === undefined ? (
          <Banner
            tone="danger"
            title={asked.problem}
            actions={<ButtonLink href="/audit">Clear all</ButtonLink>}
          />
        ) : (
          <>
            {asked.data.items.length === 0 ? (
              <div className="rounded-lg border bg-surface">
                <EmptyState icon={<ScrollText />} title="Nothing was recorded that fits">
                  Choose a longer time or fewer filters.
                </EmptyState>
              </div>
            ) : (
              <AuditList rows={asked.data.items} />
            )}
            <CursorPages
              place={place}
              next={asked.data.next}
              shown={asked.data.items.length}
              pageSize={PAGE_SIZE}
              noun={{ one: "entry", many: "entries" }}
              path="/audit"
              query={query}
            />
            <p className="text-sm text-muted">
              Data as of {formatUtc(new Date(nowMs), "time")}. CSV and JSON hold all that the
              filters let through. In CSV a cell that a spreadsheet would run as a formula begins
              with an apostrophe.
            </p>
          </>
        )}
      </div>
    </>
  );
}
