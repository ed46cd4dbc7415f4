"use client";

import { Plus } from "lucide-react";
import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import type { Action } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { type ChannelFields, ChannelForm } from "./channel-form";
import { SecretOnce } from "./secret-once";

type Create = Action<ChannelFields, { secret: string }>;

const EMPTY: ChannelFields = { name: "", url: "", format: "json", kinds: [], severities: [] };

export function NewChannel({ create }: { create: Create }) {
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (open) setSecret(undefined);
      }}
      title={secret === undefined ? "New channel" : "Channel made"}
      {...(secret === undefined
        ? { description: "Each alert is one POST. You get a secret to verify it with." }
        : { footer: <Button onClick={() => setOpen(false)}>I have copied it</Button> })}
      trigger={
        <PermittedButton needs="webhooks" variant="primary">
          <Plus aria-hidden /> New channel
        </PermittedButton>
      }
    >
      {secret === undefined ? (
        <ChannelForm
          start={EMPTY}
          save={create}
          onSaved={(made) => setSecret(made.secret)}
          submit={{ label: "Make the channel", pending: "Making the channel…" }}
        />
      ) : (
        <SecretOnce secret={secret} />
      )}
    </Dialog>
  );
}
