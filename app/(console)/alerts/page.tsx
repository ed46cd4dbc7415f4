import { BellOff } from "lucide-react";
import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { AlertFilters } from "@/components/alerts/alert-filters";
import { AlertList } from "@/components/alerts/alert-list";
import { ResolvedAlerts } from "@/components/alerts/resolved-alerts";
import { Banner } from "@/components/ui/banner";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { EmptyState } from "@/components/ui/empty-state";
import { formatPlural, formatUtc } from "@/components/ui/format";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { listAlerts } from "@/lib/control";
import { ALERT_KINDS, SEVERITIES } from "@/lib/core/alert";
import { acknowledgeAlertAction } from "./actions";

export const metadata: Metadata = { title: "Alerts" };

const PAGE_SIZE = 50;
const REFRESH_MS = 1500;

export default async function AlertsPage({ searchParams }: { searchParams: SearchParams }) {
  const { pages, ...asks } = await searchTexts(searchParams, ["pages", "kind", "severity"]);
  const kind = ALERT_KINDS.find((each) => each === asks.kind);
  const severity = SEVERITIES.find((each) => each === asks.severity);
  const query = { ...(kind && { kind }), ...(severity && { severity }) };
  const isFiltered = Object.keys(query).length > 0;
  const place = cursorPlace(pages);
  const ctx = await getPageCtx();
  const asked = await askFor(
    listAlerts(ctx, {
      limit: PAGE_SIZE,
      ...(place.cursor === undefined ? {} : { cursor: place.cursor }),
      ...query,
    }),
  );
  if (asked.data === undefined)
    return (
      <Banner
        tone="danger"
        title={asked.problem}
        actions={<ButtonLink href="/alerts">Open alerts</ButtonLink>}
      />
    );
  const { items, next, open } = asked.data;
  const opened = items.filter(({ resolvedAt }) => resolvedAt === null);
  const resolved = items.filter(({ resolvedAt }) => resolvedAt !== null);
  const isFirst = place.cursor === undefined;
  return (
    <>
      {isFirst && <RefreshEvery ms={REFRESH_MS} />}
      <PageHeader
        title="Alerts"
        description="Troubles that Headgate saw itself. Each closes by itself when it is over; acknowledging says that somebody looks after it."
        actions={<ButtonLink href="/alerts/channels">Channels</ButtonLink>}
      />
      <div className="flex flex-col gap-6">
        <AlertFilters />
        {(isFirst || opened.length > 0) && (
          <section aria-labelledby="open-alerts">
            <h2 id="open-alerts" className="mb-2 text-base font-semibold">
              {open === 0 ? "Nothing is open" : `${formatPlural(open, "alert")} open`}
              {isFiltered && open > 0 && `, ${opened.length} shown`}
            </h2>
            {opened.length > 0 && (
              <AlertList label="Open alerts" alerts={opened} acknowledge={acknowledgeAlertAction} />
            )}
            <p className="mt-2 text-sm text-muted">
              Data as of {formatUtc(new Date(ctx.clock.nowMs()), "time")}, asked again every{" "}
              {REFRESH_MS / 1000} s.
            </p>
          </section>
        )}
        <section aria-labelledby="resolved-alerts">
          <h2 id="resolved-alerts" className="mb-2 text-base font-semibold">
            Resolved
          </h2>
          {resolved.length > 0 ? (
            <ResolvedAlerts alerts={resolved} />
          ) : (
            <div className="rounded-lg border bg-surface">
              <EmptyState
                icon={<BellOff />}
                title={
                  isFiltered ? "No such alert has been resolved" : "No alert has been resolved yet"
                }
              >
                Gateways tell the console by HTTP when they cannot reach Redis, so an outage shows
                here within two seconds.
              </EmptyState>
            </div>
          )}
        </section>
        <CursorPages
          place={place}
          next={next}
          shown={items.length}
          pageSize={PAGE_SIZE}
          noun={{ one: "alert", many: "alerts" }}
          path="/alerts"
          query={query}
        />
      </div>
    </>
  );
}
