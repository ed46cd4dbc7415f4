import { Search } from "lucide-react";
import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { ruleChoices } from "@/app/_server/rule-choices";
import { getPageCtx } from "@/app/_server/session";
import { ClientAnswer } from "@/components/clients/client-answer";
import { ClientBuckets } from "@/components/clients/client-buckets";
import { ClientDecisions } from "@/components/clients/client-decisions";
import { ClientRules } from "@/components/clients/client-rules";
import { ClientSearch } from "@/components/clients/client-search";
import { FoundClients } from "@/components/clients/found-clients";
import { OverrideTable } from "@/components/overrides/override-table";
import { Banner } from "@/components/ui/banner";
import { Card } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { type Ctx, getClient, searchClients } from "@/lib/control";
import type { ClientDetail } from "@/lib/core/api/clients";
import { AppError } from "@/lib/core/errors";
import { endOverrideAction, findClientsAction, putOverrideAction } from "../overrides/actions";
import { resetClientAction } from "./actions";

export const metadata: Metadata = { title: "Client lookup" };

const REFRESH_MS = 5_000;
const actions = { put: putOverrideAction, end: endOverrideAction, find: findClientsAction };

export default async function ClientsPage({ searchParams }: { searchParams: SearchParams }) {
  const { q, client, request } = await searchTexts(searchParams, ["q", "client", "request"]);
  const ctx = await getPageCtx();
  return (
    <>
      <PageHeader
        title="Client lookup"
        description="Why a client was limited, or why it was not: the rules as they are tried for it, what is left in its buckets now, and what may be done about it."
      />
      <div className="flex flex-col gap-4">
        <ClientSearch />
        {client !== undefined ? (
          <Looked ctx={ctx} client={client} request={request} />
        ) : q !== undefined ? (
          <Found ctx={ctx} text={q} />
        ) : (
          <Card>
            <EmptyState icon={<Search aria-hidden />} title="Whose limits?">
              Search by the first characters of a key, a customer, an IP address, or the request id
              that a refused answer carries.
            </EmptyState>
          </Card>
        )}
      </div>
    </>
  );
}

async function Found({ ctx, text }: { ctx: Ctx; text: string }) {
  const asked = await askFor(searchClients(ctx, { q: text }));
  return asked.data === undefined ? (
    <Banner tone="danger" title={asked.problem} />
  ) : (
    <FoundClients items={asked.data.items} text={text} />
  );
}

type LookedProps = { ctx: Ctx; client: string; request: string | undefined };

async function Looked({ ctx, client, request }: LookedProps) {
  const [asked, choices] = await Promise.all([
    detailOf({ ctx, client, request }),
    ruleChoices(ctx),
  ]);
  if (asked.data === undefined) return <Banner tone="danger" title={asked.problem} />;
  const detail = asked.data;
  const dialog = { ...choices, owner: ctx.actor.name, actions };
  const { buckets, bucketsProblem } = detail;
  return (
    <>
      <RefreshEvery ms={REFRESH_MS} />
      <ClientAnswer detail={detail} dialog={dialog} reset={resetClientAction} />
      <Card title="Live buckets" description="Read from Redis, nothing is spent" flush>
        {buckets === null ? (
          <div className="px-4 pb-4">
            <Banner tone="warning" title={bucketsProblem}>
              How much is left is not known: gateways decide by their own share meanwhile.
            </Banner>
          </div>
        ) : (
          <ClientBuckets detail={detail} buckets={buckets} reset={resetClientAction} />
        )}
      </Card>
      <Card title="Rules tried" flush>
        <ClientRules client={detail.client} rules={detail.rules} />
      </Card>
      <Card title="Last decisions" description="From the log of hits, which is a sample" flush>
        <ClientDecisions decisions={detail.decisions} />
      </Card>
      <section className="flex flex-col gap-2">
        <h2 className="text-base font-semibold">Overrides</h2>
        <OverrideTable
          rows={detail.overrides}
          empty="It has none: what its plan gives holds."
          {...dialog}
        />
      </section>
    </>
  );
}

/** A client that is not there is a sentence here, not another page. */
async function detailOf({ ctx, client, request }: LookedProps) {
  const of = (input: { id: string; request?: string }): Promise<ClientDetail> =>
    getClient(ctx, input).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found")
        throw new AppError("invalid", error.message);
      throw error;
    });
  return askFor(of({ id: client, ...(request === undefined ? {} : { request }) }));
}
