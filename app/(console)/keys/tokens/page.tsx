import type { Metadata } from "next";
import { getControl } from "@/app/_server/context";
import { askFor } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { CreateTokenDialog } from "@/components/keys/create-token-dialog";
import { KeysHeader } from "@/components/keys/keys-header";
import { TokenTable } from "@/components/keys/token-table";
import { Banner } from "@/components/ui/banner";
import { formatPlural } from "@/components/ui/format";
import { listApiTokens } from "@/lib/control";
import { createTokenAction, revokeTokenAction } from "../actions";

export const metadata: Metadata = { title: "API tokens" };

export default async function TokensPage() {
  const asked = await askFor(listApiTokens(await getPageCtx()));
  const consoleUrl = getControl().config.publicUrl ?? "http://localhost:3000";
  return (
    <>
      <KeysHeader
        title="Headgate API tokens"
        description="For programs that call Headgate's own API under /api/v1. Not for clients of your API."
        actions={
          asked.data !== undefined && (
            <CreateTokenDialog create={createTokenAction} consoleUrl={consoleUrl} />
          )
        }
      />
      {asked.data === undefined ? (
        <Banner tone="info" title={asked.problem} />
      ) : (
        <div className="flex flex-col gap-3">
          <TokenTable tokens={asked.data.items} revoke={revokeTokenAction} />
          <p className="text-sm text-muted">
            {formatPlural(asked.data.items.length, "token")}, revoked ones included.
            HEADGATE_BOOTSTRAP_TOKEN and HEADGATE_GATEWAY_TOKEN of the environment work beside them
            and are not listed.
          </p>
        </div>
      )}
    </>
  );
}
