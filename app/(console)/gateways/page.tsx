import { Server } from "lucide-react";
import type { Metadata } from "next";
import { getControl } from "@/app/_server/context";
import { getPageCtx } from "@/app/_server/session";
import { GatewayTable } from "@/components/fleet/gateway-table";
import { fleetHeadline, fleetTone } from "@/components/fleet/gateway-words";
import { EmptyState } from "@/components/ui/empty-state";
import { formatPlural, formatUtc } from "@/components/ui/format";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { Status } from "@/components/ui/status";
import { listGateways } from "@/lib/control";
import { dismissGatewayAction } from "./actions";

export const metadata: Metadata = { title: "Gateways" };

const REFRESH_MS = 2000;

export default async function GatewaysPage() {
  const fleet = await listGateways(await getPageCtx());
  const { items, asOf } = fleet;
  const perSecond = items
    .filter(({ state }) => state === "live")
    .reduce((sum, gateway) => sum + gateway.requestsPerSecond, 0);
  return (
    <>
      <RefreshEvery ms={REFRESH_MS} />
      <PageHeader
        title="Gateways"
        description="Each loads the rules into memory and goes on with them whatever is down. A silent one stays here for 24 h, or until somebody dismisses it."
      />
      {items.length === 0 ? (
        <div className="rounded-lg border bg-surface">
          <EmptyState icon={<Server />} title="No gateway has reported yet" code={startCommand()}>
            Start one in front of your API; it is here within five seconds. The token is in
            HEADGATE_GATEWAY_TOKEN, or in secrets.json of the console's data folder.
          </EmptyState>
        </div>
      ) : (
        <div className="flex flex-col gap-3">
          <p role="status" className="text-lg font-semibold">
            <Status tone={fleetTone(fleet)} className="whitespace-normal">
              {fleetHeadline(fleet)}
            </Status>
          </p>
          <GatewayTable gateways={items} dismissGateway={dismissGatewayAction} />
          <p className="text-sm text-muted">
            {formatPlural(items.length, "gateway")},{" "}
            {formatPlural(Math.round(perSecond), "request")} a second. Data as of{" "}
            {formatUtc(new Date(asOf), "time")}; a gateway reports every 5 s and at once after a
            change.
          </p>
        </div>
      )}
    </>
  );
}

function startCommand(): string {
  const { publicUrl } = getControl().config;
  return [
    "HEADGATE_UPSTREAM=http://localhost:9000",
    "HEADGATE_GATEWAY_PORT=8081",
    "REDIS_URL=redis://…",
    `HEADGATE_CONTROL_URL=${publicUrl ?? "http://localhost:3000"}`,
    "HEADGATE_GATEWAY_TOKEN=…",
    "node dist/gateway.mjs",
  ].join(" ");
}
