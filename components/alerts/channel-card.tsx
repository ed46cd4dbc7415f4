"use client";

import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Dialog } from "@/components/ui/dialog";
import { FormError } from "@/components/ui/field";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { WebhookDeliveryRow, WebhookRow, WebhookSecret } from "@/lib/core/api/webhooks";
import { alertKinds } from "./alert-words";
import { DeliveryLog, type Redeliver } from "./delivery-log";
import { type ChangeChannel, EditChannel } from "./edit-channel";
import { SecretOnce } from "./secret-once";

export type ChannelActions = {
  change: ChangeChannel;
  switchTo: Action<{ id: string; enabled: boolean }, WebhookRow>;
  remove: Action<{ id: string }, WebhookRow>;
  rotate: Action<{ id: string }, WebhookSecret>;
  test: Action<{ id: string }, WebhookDeliveryRow>;
  redeliver: Redeliver;
};

type ChannelProps = { channel: WebhookRow; actions: ChannelActions };

/** One channel: what it is sent, whether that works, and its log. */
export function ChannelCard({ channel, actions }: ChannelProps) {
  const { id, name, url, format, enabled, offWhy, earlierSecretUntil, waiting } = channel;
  return (
    <section aria-labelledby={`channel-${id}`} className="rounded-lg border bg-surface">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 px-4 py-3">
        <div className="min-w-0 flex-1 basis-80">
          <h2 id={`channel-${id}`} className="flex flex-wrap items-center gap-3 font-semibold">
            <UserText>{name}</UserText>
            <Status tone={enabled ? "success" : "neutral"}>{enabled ? "on" : "off"}</Status>
          </h2>
          <p className="mt-0.5 break-all text-sm text-muted">
            {format === "slack" ? "Slack-shaped" : "JSON"} to <UserText code>{url}</UserText>
          </p>
          <p className="text-sm text-muted">
            {filterWords(channel)}
            {waiting > 0 && ` · ${waiting} waiting`}
          </p>
          {earlierSecretUntil !== null && (
            <p className="text-sm text-muted">
              signed with the secret before the last rotation, too, until{" "}
              <Time at={earlierSecretUntil} format="datetime" />
            </p>
          )}
          {!enabled && offWhy !== null && (
            <p className="text-sm text-danger">Headgate switched it off: {offWhy}</p>
          )}
        </div>
        <ChannelButtons channel={channel} actions={actions} />
      </div>
      <DeliveryLog channel={channel} redeliver={actions.redeliver} />
    </section>
  );
}

function ChannelButtons({ channel, actions }: ChannelProps) {
  const { id, name, enabled } = channel;
  const [tested, setTested] = useState<WebhookDeliveryRow>();
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<string>();
  const [testing, startTest] = useTransition();
  const [switching, startSwitch] = useTransition();
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <PermittedButton
          needs="webhooks"
          size="sm"
          aria-label={`Send a test to ${name}`}
          pending={testing}
          pendingLabel="Sending…"
          onClick={() =>
            startTest(async () => {
              const result = await callAction(actions.test, { id });
              setTested(result.ok ? result.data : undefined);
              setError(result.ok ? undefined : result.message);
            })
          }
        >
          Send a test
        </PermittedButton>
        <PermittedButton
          needs="webhooks"
          size="sm"
          aria-label={`Switch ${name} ${enabled ? "off" : "on"}`}
          pending={switching}
          pendingLabel="Switching…"
          onClick={() =>
            startSwitch(async () => {
              const result = await callAction(actions.switchTo, { id, enabled: !enabled });
              setError(result.ok ? undefined : result.message);
            })
          }
        >
          Switch {enabled ? "off" : "on"}
        </PermittedButton>
        <EditChannel channel={channel} change={actions.change} />
        <ConfirmDialog
          title={`Rotate the secret of ${name}`}
          description="You get a new secret. For a day messages are signed with the present one, too."
          confirmLabel="Rotate the secret"
          pendingLabel="Rotating…"
          onConfirm={async () => {
            const result = await callAction(actions.rotate, { id });
            if (!result.ok) return { error: result.message };
            setSecret(result.data.secret);
          }}
          trigger={
            <PermittedButton needs="webhooks" size="sm" aria-label={`Rotate the secret of ${name}`}>
              Rotate secret
            </PermittedButton>
          }
        />
        <ConfirmDialog
          title={`Delete ${name}`}
          description="Its log and what waits to be sent go with it."
          confirmLabel="Delete the channel"
          pendingLabel="Deleting…"
          tone="danger"
          onConfirm={async () => {
            const result = await callAction(actions.remove, { id });
            if (!result.ok) return { error: result.message };
          }}
          trigger={
            <PermittedButton needs="webhooks" size="sm" aria-label={`Delete ${name}`}>
              Delete
            </PermittedButton>
          }
        />
      </div>
      <Dialog
        open={secret !== undefined}
        onOpenChange={(open) => open || setSecret(undefined)}
        title={`New secret of ${name}`}
        footer={<Button onClick={() => setSecret(undefined)}>I have copied it</Button>}
      >
        {secret !== undefined && <SecretOnce secret={secret} />}
      </Dialog>
      <div role="status" className="max-w-xl">
        {tested !== undefined && <Tested tested={tested} />}
      </div>
      <FormError>{error}</FormError>
    </div>
  );
}

function Tested({ tested: { state, lastStatus, lastAnswer } }: { tested: WebhookDeliveryRow }) {
  const isDelivered = state === "delivered";
  const title =
    lastStatus === null
      ? "The test got no answer"
      : `The test was ${isDelivered ? "taken" : "refused"}: the receiver answered ${lastStatus}`;
  return (
    <Banner tone={isDelivered ? "success" : "danger"} title={title}>
      {lastAnswer !== null && lastAnswer !== "" && <UserText>{lastAnswer}</UserText>}
    </Banner>
  );
}

function filterWords({ kinds, severities }: WebhookRow): string {
  const which = severities.length === 0 ? "every severity" : severities.join(", ");
  const what = kinds.length === 0 ? "every kind" : kinds.map((kind) => alertKinds[kind] ?? kind);
  return `${which} · ${typeof what === "string" ? what : what.join(", ")}`;
}
