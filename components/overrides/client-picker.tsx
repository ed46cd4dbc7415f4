"use client";

import { useEffect, useRef, useState } from "react";
import { callAction } from "@/components/ui/action-result";
import { Combobox } from "@/components/ui/combobox";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { RadioGroup } from "@/components/ui/radio-group";
import type { FoundClient } from "@/lib/core/api/overrides";
import { apiKeyPrefix } from "@/lib/core/api-key";
import { parseClientId } from "@/lib/core/client-id";
import { countedAs, type OverrideSubject } from "@/lib/core/override-subject";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import type { ChosenClient, OverrideActions } from "./override-actions";

type ClientPickerProps = {
  kind: OverrideSubject;
  client: ChosenClient | null;
  ipv6PrefixLength: number;
  find: OverrideActions["find"];
  error: string | undefined;
  onKindChange: (kind: OverrideSubject) => void;
  onClientChange: (client: ChosenClient | null) => void;
};

const KINDS = [
  { value: "key", label: "API key" },
  { value: "customer", label: "Customer" },
  { value: "ip", label: "Address" },
] as const;

/** Who the override is for: a key by how it begins, a customer, or an address as gateways count it. */
export function ClientPicker(props: ClientPickerProps) {
  const { kind, client, ipv6PrefixLength, find, error, onKindChange, onClientChange } = props;
  return (
    <div className="flex flex-col gap-2">
      <RadioGroup
        aria-label="Kind of client"
        className="flex-row flex-wrap gap-x-5"
        options={KINDS}
        value={kind}
        onValueChange={(next) => {
          onKindChange(next);
          onClientChange(null);
        }}
      />
      {kind === "ip" ? (
        <AddressField
          ipv6PrefixLength={ipv6PrefixLength}
          client={client}
          error={error}
          onClientChange={onClientChange}
        />
      ) : (
        <FoundClients
          key={kind}
          kind={kind}
          client={client}
          find={find}
          error={error}
          onClientChange={onClientChange}
        />
      )}
    </div>
  );
}

const TYPING_MS = 200;

type FoundProps = Pick<ClientPickerProps, "client" | "find" | "error" | "onClientChange"> & {
  kind: "key" | "customer";
};

function FoundClients({ kind, client, find, error, onClientChange }: FoundProps) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<readonly FoundClient[]>([]);
  const [failure, setFailure] = useState<string>();
  const newest = useRef("");
  const isKey = kind === "key";

  useEffect(() => {
    newest.current = text;
    const timer = setTimeout(async () => {
      // Somebody may paste the whole key: no more of it leaves the browser than people may see.
      const sent = isKey && text.startsWith("hg_") ? apiKeyPrefix(text) : text;
      const result = await callAction(find, { kind, text: sent.trim() });
      // A slower answer to an older text must not replace a newer one.
      if (newest.current !== text) return;
      setFailure(result.ok ? undefined : result.message);
      if (result.ok) setFound(result.data);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, kind, isKey, find]);

  const options = found.map((each) => ({
    value: each.client,
    label: labelOf(each),
    hint: `${each.client}${isKey ? ` of ${each.customer}` : ""}, plan ${each.plan}`,
  }));
  if (client !== null && !options.some(({ value }) => value === client.client))
    options.unshift({
      value: client.client,
      label: labelOf(client),
      hint: `plan ${client.plan}`,
    });

  return (
    <Field
      label={isKey ? "API key" : "Customer"}
      error={error ?? failure}
      hint={isKey ? "By how the key begins, its id, or its customer’s." : "By its id or name."}
    >
      <Combobox
        options={options}
        value={client?.client ?? null}
        placeholder={isKey ? "hg_…" : "acme"}
        emptyText={
          isKey ? "No key begins like this, or has this id." : "No customer begins like this."
        }
        onSearch={(typed) => {
          // Choosing writes the label into the field: that is no search.
          if (client === null || typed !== labelOf(client)) setText(typed);
        }}
        onValueChange={(value) => {
          const chosen = found.find((each) => each.client === value);
          if (chosen !== undefined) onClientChange(chosen);
          else if (value === null) onClientChange(null);
        }}
      />
    </Field>
  );
}

function labelOf({ client, name, prefix }: Omit<ChosenClient, "plan">): string {
  const known = name === "" ? client : name;
  return prefix === "" ? known : `${known} · ${prefix}…`;
}

type AddressProps = Pick<
  ClientPickerProps,
  "ipv6PrefixLength" | "client" | "error" | "onClientChange"
>;

function AddressField({ ipv6PrefixLength, client, error, onClientChange }: AddressProps) {
  const [text, setText] = useState(client?.client.slice("ip:".length) ?? "");
  const typed = text.trim();
  const parsed = parseClientId(`ip:${typed}`);
  const counted = parsed === null ? null : countedAs(parsed, ipv6PrefixLength);
  const isOther = counted !== null && counted !== `ip:${typed}`;
  const wrong =
    typed === "" || counted !== null
      ? undefined
      : parsed === null
        ? `an address such as 198.51.100.7 or 2001:db8::1 is needed, got ${typed}`
        : `${typed} is a network: an override is for one address as it is counted`;
  return (
    <Field
      label="IP address"
      error={wrong ?? error}
      hint={
        isOther
          ? `Counted as ${counted}: the override is for all of it.`
          : "Of requests that come from there, whoever sends them."
      }
    >
      <Input
        code
        value={text}
        maxLength={80}
        placeholder="198.51.100.7"
        onValueChange={(next) => {
          setText(next);
          const id = parseClientId(`ip:${next.trim()}`);
          const as = id === null ? null : countedAs(id, ipv6PrefixLength);
          onClientChange(
            as === null ? null : { client: as, plan: ANONYMOUS_PLAN, name: "", prefix: "" },
          );
        }}
      />
    </Field>
  );
}
