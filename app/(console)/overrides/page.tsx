import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { ruleChoices } from "@/app/_server/rule-choices";
import { getPageCtx } from "@/app/_server/session";
import { NewOverrideButton } from "@/components/overrides/new-override-button";
import type { ChosenClient } from "@/components/overrides/override-actions";
import { OverrideFilters } from "@/components/overrides/override-filters";
import { OverrideSummary } from "@/components/overrides/override-summary";
import { OverrideTable } from "@/components/overrides/override-table";
import { Banner } from "@/components/ui/banner";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { ButtonLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { type Ctx, findClients, listOverrideRules, listOverrides } from "@/lib/control";
import { OVERRIDE_STATES } from "@/lib/core/api/overrides";
import { parseClientId } from "@/lib/core/client-id";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { endOverrideAction, findClientsAction, putOverrideAction } from "./actions";

export const metadata: Metadata = { title: "Overrides" };

const PAGE_SIZE = 50;
const actions = { put: putOverrideAction, end: endOverrideAction, find: findClientsAction };

export default async function OverridesPage({ searchParams }: { searchParams: SearchParams }) {
  const address = await searchTexts(searchParams, [
    "q",
    "rule",
    "client",
    "state",
    "expiring",
    "pages",
  ]);
  const { pages, ...filters } = address;
  const place = cursorPlace(pages);
  const ctx = await getPageCtx();
  const [asked, ruleset, known, start, counts] = await Promise.all([
    askFor(
      listOverrides(ctx, {
        q: filters.q,
        rule: filters.rule,
        client: filters.client,
        ...stateQuery(filters.state),
        expiresWithinDays: filters.expiring,
        limit: PAGE_SIZE,
        cursor: place.cursor,
      }),
    ),
    ruleChoices(ctx),
    listOverrideRules(ctx),
    chosenClient(ctx, filters.client),
    countsOf(ctx),
  ]);
  const dialog = { ...ruleset, owner: ctx.actor.name, actions };
  const rule = filters.rule;
  return (
    <>
      <PageHeader
        title="Overrides"
        description="Limits of single clients that beat their plan’s for a time. They are no part of versions: a rollback leaves them as they are, and what has expired stays so."
        actions={
          <NewOverrideButton
            key={`${filters.client} ${rule}`}
            start={{ ...(start && { client: start }), ...(rule !== undefined && { rule }) }}
            {...dialog}
          />
        }
      />
      <div className="flex flex-col gap-3">
        <OverrideSummary {...counts} />
        <OverrideFilters rules={known} hasClient={filters.client !== undefined} />
        {asked.data === undefined ? (
          <Banner
            tone="danger"
            title={asked.problem}
            actions={<ButtonLink href="/overrides">Show all overrides</ButtonLink>}
          />
        ) : (
          <>
            <OverrideTable
              rows={asked.data.items}
              empty={
                Object.keys(filters).length > 0
                  ? "No override fits these filters."
                  : "Nobody has an override: every client gets what its plan gives."
              }
              {...dialog}
            />
            <CursorPages
              place={place}
              next={asked.data.next}
              shown={asked.data.items.length}
              pageSize={PAGE_SIZE}
              total={asked.data.total}
              noun={{ one: "override", many: "overrides" }}
              path="/overrides"
              query={filters}
            />
          </>
        )}
      </div>
    </>
  );
}

async function countsOf(ctx: Ctx) {
  const count = async (query: Parameters<typeof listOverrides>[1]) =>
    (await listOverrides(ctx, { ...query, limit: 1 })).total;
  const [current, expiring, ignored] = await Promise.all([
    count({}),
    count({ expiresWithinDays: 7 }),
    count({ state: "ignored" }),
  ]);
  return { current, expiring, ignored };
}

function stateQuery(text: string | undefined): Parameters<typeof listOverrides>[1] {
  if (text === "all") return { show: "all" };
  const state = OVERRIDE_STATES.find((each) => each === text);
  return state === undefined ? {} : { state };
}

/** The client that the address names, as the dialog takes it; null for one that is not there. */
async function chosenClient(ctx: Ctx, text: string | undefined): Promise<ChosenClient | null> {
  const client = text === undefined ? null : parseClientId(text);
  if (client === null) return null;
  if (client.startsWith("ip:")) return { client, plan: ANONYMOUS_PLAN, name: "", prefix: "" };
  const kind = client.startsWith("key:") ? "key" : "customer";
  const id = client.slice(client.indexOf(":") + 1);
  const found = await findClients(ctx, { kind, text: id });
  return found.find((each) => each.client === client) ?? null;
}
