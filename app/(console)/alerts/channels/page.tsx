import { Webhook } from "lucide-react";
import type { Metadata } from "next";
import { askFor } from "@/app/_server/page-input";
import { getPageCtx } from "@/app/_server/session";
import { ChannelCard } from "@/components/alerts/channel-card";
import { NewChannel } from "@/components/alerts/new-channel";
import { Banner } from "@/components/ui/banner";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { RefreshEvery } from "@/components/ui/refresh-every";
import { listWebhooks } from "@/lib/control";
import {
  changeWebhookAction,
  createWebhookAction,
  deleteWebhookAction,
  redeliverAction,
  rotateWebhookAction,
  switchWebhookAction,
  testWebhookAction,
} from "./actions";

export const metadata: Metadata = { title: "Alert channels" };

const REFRESH_MS = 3000;

const actions = {
  change: changeWebhookAction,
  switchTo: switchWebhookAction,
  remove: deleteWebhookAction,
  rotate: rotateWebhookAction,
  test: testWebhookAction,
  redeliver: redeliverAction,
};

export default async function ChannelsPage() {
  const asked = await askFor(listWebhooks(await getPageCtx()));
  return (
    <>
      <PageHeader
        title="Alert channels"
        description="Where alerts are sent by HTTP, signed, when they are raised, acknowledged and over. They go out although Redis is down."
        breadcrumbs={[{ href: "/alerts", label: "Alerts" }]}
        actions={<NewChannel create={createWebhookAction} />}
      />
      {asked.data === undefined ? (
        <Banner tone="info" title={asked.problem} />
      ) : asked.data.items.length === 0 ? (
        <div className="rounded-lg border bg-surface">
          <EmptyState icon={<Webhook />} title="Alerts are sent nowhere yet">
            They show in this console only. A channel sends them to an address of yours, or to a
            Slack-shaped incoming webhook.
          </EmptyState>
        </div>
      ) : (
        <div className="flex flex-col gap-5">
          <RefreshEvery ms={REFRESH_MS} />
          {asked.data.items.map((channel) => (
            <ChannelCard key={channel.id} channel={channel} actions={actions} />
          ))}
        </div>
      )}
    </>
  );
}
