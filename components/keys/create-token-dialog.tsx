"use client";

import { Plus } from "lucide-react";
import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { RadioGroup } from "@/components/ui/radio-group";
import type { TokenCreated, TokenRow } from "@/lib/core/api/tokens";
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

function commandOf({ scope, token }: TokenCreated, consoleUrl: string): string {
  const path = scope === "gateway" ? "directory" : "rules";
  return `curl -s ${consoleUrl}/api/v1/${path} -H 'Authorization: Bearer ${token}'`;
}

type FormProps = Pick<CreateTokenDialogProps, "create"> & {
  onMade: (token: TokenCreated) => void;
};

function CreateTokenForm({ create, onMade }: FormProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<TokenRow["scope"]>("admin");
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
          const result = await callAction(create, { name, scope });
          if (result.ok) onMade(result.data);
          else setError(result.message);
        });
      }}
    >
      <Field label="Name" hint="Where it will be used, such as “deploy pipeline”.">
        <Input value={name} maxLength={120} onValueChange={setName} />
      </Field>
      <div>
        <p id="token-scope" className="mb-1 text-sm font-medium">
          Scope
        </p>
        <RadioGroup
          look="cards"
          aria-labelledby="token-scope"
          value={scope}
          onValueChange={setScope}
          options={[
            { value: "admin", label: "Admin", hint: "All that this console can do." },
            {
              value: "gateway",
              label: "Gateway",
              hint: "Only what a gateway asks: rules, directory, its own reports.",
            },
          ]}
        />
      </div>
      <FormError>{error}</FormError>
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        disabled={name.trim() === ""}
        pending={pending}
        pendingLabel="Creating…"
      >
        Create token
      </Button>
    </form>
  );
}
