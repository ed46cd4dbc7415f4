import { ShieldBan } from "lucide-react";
import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { HitsTable } from "@/components/report/hits-table";
import { LogToolbar } from "@/components/report/log-toolbar";
import { rangeKeys, rangeQuery, timeRange } from "@/components/report/time-range";
import { PermittedLink } from "@/components/shell/permissions";
import { Banner } from "@/components/ui/banner";
import { CursorPages, cursorPlace, hrefWith } from "@/components/ui/cursor-pages";
import { ExportLinks } from "@/components/ui/export-links";
import { formatCount, formatShare, formatUtc } from "@/components/ui/format";
import { ButtonLink, TextLink } from "@/components/ui/link";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { listHits, listPlanNames } from "@/lib/control";
import type { HitList } from "@/lib/core/api/hits";
import { parseClientId } from "@/lib/core/client-id";
import { DENY_RULE, listOfRule } from "@/lib/core/own-rules";

type Props = { params: Promise<{ id: string }>; searchParams: SearchParams };

const PAGE_SIZE = 100;
const REFRESH_MS = 3000;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Log of ${decodeURIComponent((await params).id)}` };
}

export default async function LogPage({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id);
  const address = await searchTexts(searchParams, [
    "range",
    "from",
    "to",
    "mode",
    "client",
    "plan",
    "route",
    "revision",
    "pages",
    "live",
  ]);
  const ctx = await getPageCtx();
  const nowMs = ctx.clock.nowMs();
  const range = timeRange(address, nowMs);
  const mode = address.mode === "shadow" || address.mode === "enforce" ? address.mode : undefined;
  const { client, plan, route, revision } = address;
  const place = cursorPlace(address.pages);
  const [asked, plans] = await Promise.all([
    askFor(
      listHits(ctx, {
        id,
        ...rangeQuery(range),
        ...(mode ? { mode } : {}),
        ...(client === undefined ? {} : { client }),
        ...(plan === undefined ? {} : { plan }),
        ...(route === undefined ? {} : { route }),
        ...(revision === undefined ? {} : { revision }),
        ...(place.cursor === undefined ? {} : { cursor: place.cursor }),
        limit: PAGE_SIZE,
      }),
    ),
    listPlanNames(ctx),
  ]);
  const path = `/rules/${encodeURIComponent(id)}/log`;
  if (asked.data === undefined)
    return (
      <Banner
        tone="danger"
        title={asked.problem}
        actions={<ButtonLink href={path}>Show the last 24 h</ButtonLink>}
      />
    );
  const { items, next, sampling } = asked.data;
  const filters = { mode, client, plan, route, revision };
  const query = { ...rangeKeys(address), ...filters, live: address.live };
  const denied = client !== undefined && parseClientId(client) !== null ? client : null;
  const isLive = address.live !== undefined && range.kind === "last" && place.cursor === undefined;
  return (
    <div className="flex flex-col gap-3">
      {isLive && <RefreshEvery ms={REFRESH_MS} />}
      <LogToolbar
        path={path}
        query={query}
        mode={mode ?? null}
        hasModes={listOfRule(id) === null}
        range={range}
        from={new Date(range.kind === "last" ? range.fromMs : nowMs - 86_400_000).toISOString()}
        to={new Date(nowMs).toISOString()}
        plans={plans}
        isLive={isLive}
        canBeLive={range.kind === "last" && place.cursor === undefined}
        exports={
          <ExportLinks
            path={`/api/v1/rules/${encodeURIComponent(id)}/hits/export`}
            query={{ ...rangeQuery(range), ...filters }}
            of="All rejections that fit"
          />
        }
      />
      {denied !== null && id !== DENY_RULE.id && (
        <PermittedLink
          needs="draft"
          size="sm"
          className="self-start"
          href={hrefWith("/lists", { deny: denied })}
        >
          <ShieldBan aria-hidden /> Deny {denied}
        </PermittedLink>
      )}
      <HitsTable
        label="Rejections"
        hits={items}
        clientHref={(wanted) => hrefWith(path, { ...query, client: wanted })}
        empty={
          Object.values(filters).some(Boolean) ? (
            <>
              No rejection {range.words} fits: {filterWords(filters)}.{" "}
              <TextLink href={hrefWith(path, rangeKeys(address))}>Clear the filters</TextLink>
            </>
          ) : (
            `No rejection, real or would-be, was kept ${range.words}. The report says whether gateways reported.`
          )
        }
      />
      <CursorPages
        place={place}
        next={next}
        shown={items.length}
        pageSize={PAGE_SIZE}
        noun={{ one: "rejection", many: "rejections" }}
        path={path}
        query={query}
      />
      <p className="text-sm text-muted">
        {samplingWords(sampling, client !== undefined)} Data as of{" "}
        {formatUtc(new Date(nowMs), "time")}.
      </p>
    </div>
  );
}

function filterWords(filters: Record<string, string | undefined>): string {
  return Object.entries(filters)
    .flatMap(([key, value]) => (value === undefined ? [] : `${key} ${value}`))
    .join(", ");
}

function samplingWords({ seen, kept, share }: HitList["sampling"], isOneClient: boolean): string {
  const whose = isOneClient ? ", of all clients," : "";
  if (seen === 0) return "Gateways counted no rejection of this kind in this time.";
  if (kept >= seen)
    return `Complete: all ${formatCount(seen)} rejections${whose} that gateways counted were kept.`;
  return `A sample: of ${formatCount(seen)} rejections${whose} that gateways counted ${formatCount(kept)} were kept (${formatShare(share)}). The report’s counts are complete.`;
}
