"use client";

import { Plus } from "lucide-react";
import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Dialog } from "@/components/ui/dialog";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { RadioGroup } from "@/components/ui/radio-group";
import { Select } from "@/components/ui/select";
import { PERMISSION_WORDS, PERMISSIONS, type Permission } from "@/lib/core/access";
import type { TokenCreated } from "@/lib/core/api/tokens";
import { SecretOnce } from "./secret-once";
import type { TokenActions } from "./token-actions";

type CreateTokenDialogProps = { create: TokenActions["create"]; consoleUrl: string };

/** Makes a token of Headgate's own API and shows it once. */
export function CreateTokenDialog({ create, consoleUrl }: CreateTokenDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<TokenCreated>();
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (open) setMade(undefined);
      }}
      title={made ? "Token created" : "Create an API token"}
      {...(made
        ? { footer: <Button onClick={() => setOpen(false)}>I have copied it</Button> }
        : { description: "What it does is audited under its name." })}
      trigger={
        <PermittedButton needs="tokens" variant="primary">
          <Plus aria-hidden /> Create token
        </PermittedButton>
      }
    >
      {made ? (
        <SecretOnce what="token" secret={made.token} command={commandOf(made, consoleUrl)} />
      ) : (
        <CreateTokenForm create={create} onMade={setMade} />
      )}
    </Dialog>
  );
}

function commandOf({ scopes, token }: TokenCreated, consoleUrl: string): string {
  const path = scopes.length === 1 && scopes[0] === "gateway" ? "directory" : "rules";
  return `curl -s ${consoleUrl}/api/v1/${path} -H 'Authorization: Bearer ${token}'`;
}

type Kind = "chosen" | "admin" | "gateway";

const SCOPES = PERMISSIONS.filter((permission) => permission !== "fleet");

const LIVES = [
  { value: "7", label: "in 7 days" },
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "365", label: "in a year" },
  { value: "never", label: "never" },
] as const;

type FormProps = Pick<CreateTokenDialogProps, "create"> & {
  onMade: (token: TokenCreated) => void;
};

function CreateTokenForm({ create, onMade }: FormProps) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("chosen");
  const [chosen, setChosen] = useState<readonly Permission[]>(["read"]);
  const [days, setDays] = useState<(typeof LIVES)[number]["value"]>("90");
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (pending) return;
        setError(undefined);
        startTransition(async () => {
          const result = await callAction(create, {
            name,
            scopes: kind === "chosen" ? SCOPES.filter((scope) => chosen.includes(scope)) : [kind],
            expiresInDays: days === "never" ? null : Number(days),
          });
          if (result.ok) onMade(result.data);
          else setError(result.message);
        });
      }}
    >
      <Field label="Name" hint="Where it will be used, such as “deploy pipeline”.">
        <Input value={name} maxLength={120} onValueChange={setName} />
      </Field>
      <Field label="Expires">
        <Select options={LIVES} value={days} onValueChange={setDays} />
      </Field>
      <div>
        <p id="token-scope" className="mb-1 text-sm font-medium">
          Scope
        </p>
        <RadioGroup
          look="cards"
          aria-labelledby="token-scope"
          value={kind}
          onValueChange={setKind}
          options={[
            { value: "chosen", label: "Chosen rights", hint: "Only what is ticked below." },
            { value: "admin", label: "Admin", hint: "All that this console can do." },
            {
              value: "gateway",
              label: "Gateway",
              hint: "Only what a gateway asks: rules, directory, its own reports.",
            },
          ]}
        />
      </div>
      {kind === "chosen" && (
        <fieldset className="grid gap-1.5 sm:grid-cols-2">
          <legend className="mb-1 text-sm font-medium">Rights</legend>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              label={scope}
              hint={PERMISSION_WORDS[scope]}
              checked={chosen.includes(scope)}
              onCheckedChange={(checked) =>
                setChosen(checked ? [...chosen, scope] : chosen.filter((other) => other !== scope))
              }
            />
          ))}
        </fieldset>
      )}
      <FormError>{error}</FormError>
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        disabled={name.trim() === "" || (kind === "chosen" && chosen.length === 0)}
        pending={pending}
        pendingLabel="Creating…"
      >
        Create token
      </Button>
    </form>
  );
}
