"use client";

import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import type { Action } from "@/components/ui/action-result";
import { Dialog } from "@/components/ui/dialog";
import { ALERT_KINDS, SEVERITIES } from "@/lib/core/alert";
import type { WebhookRow } from "@/lib/core/api/webhooks";
import { type ChannelFields, ChannelForm } from "./channel-form";

export type ChangeChannel = Action<ChannelFields & { id: string }, WebhookRow>;

type EditChannelProps = { channel: WebhookRow; change: ChangeChannel };

/** Name, address, format and what is sent; the secret and the log stay. */
export function EditChannel({ channel, change }: EditChannelProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, name, url, format } = channel;
  return (
    <Dialog
      open={isOpen}
      onOpenChange={setOpen}
      title={`Change ${name}`}
      description="Holds for what is sent from now on, also for what waits. The secret stays."
      trigger={
        <PermittedButton needs="webhooks" size="sm" aria-label={`Change ${name}`}>
          Change
        </PermittedButton>
      }
    >
      <ChannelForm
        start={{
          name,
          url,
          format,
          kinds: ALERT_KINDS.filter((kind) => channel.kinds.includes(kind)),
          severities: SEVERITIES.filter((severity) => channel.severities.includes(severity)),
        }}
        save={(fields) => change({ id, ...fields })}
        onSaved={() => setOpen(false)}
        submit={{ label: "Save the channel", pending: "Saving the channel…" }}
      />
    </Dialog>
  );
}
