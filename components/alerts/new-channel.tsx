"use client";

import { Plus } from "lucide-react";
import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Dialog } from "@/components/ui/dialog";
import { Field, FieldGroup, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { ALERT_KINDS, type AlertKind, SEVERITIES } from "@/lib/core/alert";
import type { WebhookFormat } from "@/lib/core/api/webhooks";
import { alertKinds } from "./alert-words";
import { SecretOnce } from "./secret-once";

type Given = {
  name: string;
  url: string;
  format: WebhookFormat;
  kinds: AlertKind[];
  severities: (typeof SEVERITIES)[number][];
};
type Create = Action<Given, { secret: string }>;

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
        <ChannelForm create={create} onMade={setSecret} />
      ) : (
        <SecretOnce secret={secret} />
      )}
    </Dialog>
  );
}

const EMPTY: Given = { name: "", url: "", format: "json", kinds: [], severities: [] };

type FormProps = { create: Create; onMade: (secret: string) => void };

function ChannelForm({ create, onMade }: FormProps) {
  const [given, setGiven] = useState(EMPTY);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [pending, startTransition] = useTransition();
  const set = (change: Partial<Given>) => setGiven((before) => ({ ...before, ...change }));
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (pending) return;
        setErrors({});
        startTransition(async () => {
          const result = await callAction(create, given);
          if (result.ok) return onMade(result.data.secret);
          const named = (result.errors ?? []).map(({ path, message }) => [path, message]);
          setErrors(named.length > 0 ? Object.fromEntries(named) : { form: result.message });
        });
      }}
    >
      <Field label="Name" error={errors.name}>
        <Input value={given.name} autoComplete="off" onValueChange={(name) => set({ name })} />
      </Field>
      <Field label="Address" error={errors.url} hint="http:// or https://, of the public internet">
        <Input
          code
          type="url"
          autoComplete="off"
          value={given.url}
          onValueChange={(url) => set({ url })}
        />
      </Field>
      <Field label="Format">
        <Select
          value={given.format}
          onValueChange={(format) => set({ format })}
          options={[
            { value: "json", label: "JSON", hint: "the alert's fields, for programs" },
            { value: "slack", label: "Slack-shaped", hint: "one line of text, for chats" },
          ]}
        />
      </Field>
      <FieldGroup legend="Severities" hint="None ticked: all.">
        {SEVERITIES.map((severity) => (
          <Checkbox
            key={severity}
            label={severity}
            checked={given.severities.includes(severity)}
            onCheckedChange={() => set({ severities: toggled(given.severities, severity) })}
          />
        ))}
      </FieldGroup>
      <FieldGroup legend="Kinds" hint="None ticked: all.">
        {ALERT_KINDS.map((kind) => (
          <Checkbox
            key={kind}
            label={alertKinds[kind] ?? kind}
            checked={given.kinds.includes(kind)}
            onCheckedChange={() => set({ kinds: toggled(given.kinds, kind) })}
          />
        ))}
      </FieldGroup>
      <FormError>{errors.form}</FormError>
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        disabled={given.name.trim() === "" || given.url.trim() === ""}
        pending={pending}
        pendingLabel="Making the channel…"
      >
        Make the channel
      </Button>
    </form>
  );
}

function toggled<T>(list: readonly T[], one: T): T[] {
  return list.includes(one) ? list.filter((each) => each !== one) : [...list, one];
}
