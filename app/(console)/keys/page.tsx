import { Download, Upload } from "lucide-react";
import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { CustomerLinks } from "@/components/clients/customer-links";
import { gatewayUrl } from "@/components/fleet/gateway-words";
import { CreateKeyDialog } from "@/components/keys/create-key-dialog";
import { KeyFilters } from "@/components/keys/key-filters";
import { KeyTable } from "@/components/keys/key-table";
import { KeysHeader } from "@/components/keys/keys-header";
import { PermittedLink } from "@/components/shell/permissions";
import { Banner } from "@/components/ui/banner";
import { buttonStyle } from "@/components/ui/button-style";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { ButtonLink } from "@/components/ui/link";
import { listGateways, listKeys, listPlanNames } from "@/lib/control";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { createKeyAction, revokeKeyAction, rotateKeyAction, updateKeyAction } from "./actions";

export const metadata: Metadata = { title: "API keys" };

const PAGE_SIZE = 50;
const actions = {
  update: updateKeyAction,
  rotate: rotateKeyAction,
  revoke: revokeKeyAction,
};

export default async function KeysPage({ searchParams }: { searchParams: SearchParams }) {
  const address = await searchTexts(searchParams, [
    "prefix",
    "customer",
    "find",
    "plan",
    "revoked",
    "pages",
  ]);
  const { pages, ...filters } = address;
  const place = cursorPlace(pages);
  const ctx = await getPageCtx();
  const [asked, named, { items: gateways }] = await Promise.all([
    askFor(
      listKeys(ctx, {
        ...filters,
        revoked: filters.revoked === "true",
        limit: PAGE_SIZE,
        ...(place.cursor === undefined ? {} : { cursor: place.cursor }),
      }),
    ),
    listPlanNames(ctx),
    listGateways(ctx),
  ]);
  const plans = named.filter(({ id }) => id !== ANONYMOUS_PLAN);
  return (
    <>
      <KeysHeader
        title="Keys"
        description="Who presents which key, and on which plan. A key is known by its id; its text is nowhere but with its holder."
        actions={
          <>
            <a
              href={`/api/v1/keys/export?${new URLSearchParams(filters)}`}
              download
              className={buttonStyle({ variant: "secondary", size: "md" })}
            >
              <Download aria-hidden /> Export
            </a>
            <PermittedLink needs="keys" href="/keys/import">
              <Upload aria-hidden /> Import
            </PermittedLink>
            <CreateKeyDialog
              plans={plans}
              create={createKeyAction}
              gatewayUrl={gatewayUrl(gateways[0]?.id)}
            />
          </>
        }
      />
      <div className="flex flex-col gap-3">
        <KeyFilters plans={plans} />
        {filters.customer !== undefined && asked.data !== undefined && asked.data.total > 0 && (
          <CustomerLinks customer={filters.customer} />
        )}
        {asked.data === undefined ? (
          <Banner
            tone="danger"
            title={asked.problem}
            actions={<ButtonLink href="/keys">Show all keys</ButtonLink>}
          />
        ) : (
          <>
            <KeyTable
              keys={asked.data.items}
              plans={plans}
              actions={actions}
              gatewayUrl={gatewayUrl(gateways[0]?.id)}
              empty={
                Object.keys(filters).length > 0
                  ? "No key fits these filters."
                  : "No key has been made yet. Without one, every request counts as anonymous, by its IP address."
              }
            />
            <CursorPages
              place={place}
              next={asked.data.next}
              shown={asked.data.items.length}
              pageSize={PAGE_SIZE}
              total={asked.data.total}
              isTotalLeast={asked.data.totalIs === "at-least"}
              noun={{ one: "key", many: "keys" }}
              path="/keys"
              query={filters}
            />
          </>
        )}
      </div>
    </>
  );
}
