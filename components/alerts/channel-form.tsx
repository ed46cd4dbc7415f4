"use client";

import { useState, useTransition } from "react";
import { type Action, callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Field, FieldGroup, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { ALERT_KINDS, type AlertKind, SEVERITIES } from "@/lib/core/alert";
import type { WebhookFormat } from "@/lib/core/api/webhooks";
import { alertKinds } from "./alert-words";

export type ChannelFields = {
  name: string;
  url: string;
  format: WebhookFormat;
  kinds: AlertKind[];
  severities: (typeof SEVERITIES)[number][];
};

type ChannelFormProps<Answer> = {
  start: ChannelFields;
  save: Action<ChannelFields, Answer>;
  onSaved: (answer: Answer) => void;
  submit: { label: string; pending: string };
};

/** What a channel is sent, and where. */
export function ChannelForm<Answer>({ start, save, onSaved, submit }: ChannelFormProps<Answer>) {
  const [given, setGiven] = useState(start);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [pending, startTransition] = useTransition();
  const set = (change: Partial<ChannelFields>) => setGiven((before) => ({ ...before, ...change }));
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (pending) return;
        setErrors({});
        startTransition(async () => {
          const result = await callAction(save, given);
          if (result.ok) return onSaved(result.data);
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
        pendingLabel={submit.pending}
      >
        {submit.label}
      </Button>
    </form>
  );
}

function toggled<T>(list: readonly T[], one: T): T[] {
  return list.includes(one) ? list.filter((each) => each !== one) : [...list, one];
}
