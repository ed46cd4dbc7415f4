"use client";

import { Plus } from "lucide-react";
import { useId, useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type ActionFailure, callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import type { KeyCreated } from "@/lib/core/api/keys";
import type { KeyActions, PlanChoice } from "./key-actions";
import { SecretOnce } from "./secret-once";

type CreateKeyDialogProps = {
  plans: readonly PlanChoice[];
  create: KeyActions["create"];
  /** A gateway's address, for the command to try. */
  gatewayUrl: string;
};

/** Makes a key and shows it once. */
export function CreateKeyDialog({ plans, create, gatewayUrl }: CreateKeyDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<KeyCreated>();
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (open) setMade(undefined);
      }}
      title={made ? "API key created" : "Create an API key"}
      {...(made
        ? { footer: <Button onClick={() => setOpen(false)}>I have copied it</Button> }
        : { description: "Gateways know it within a second." })}
      trigger={
        <PermittedButton needs="keys" variant="primary">
          <Plus aria-hidden /> Create key
        </PermittedButton>
      }
    >
      {made ? (
        <SecretOnce
          what="API key"
          secret={made.key}
          command={`curl -i ${gatewayUrl}/ -H 'X-API-Key: ${made.key}'`}
        />
      ) : (
        <CreateKeyForm plans={plans} create={create} onMade={setMade} />
      )}
    </Dialog>
  );
}

type FormProps = Pick<CreateKeyDialogProps, "plans" | "create"> & {
  onMade: (key: KeyCreated) => void;
};

function CreateKeyForm({ plans, create, onMade }: FormProps) {
  const formId = useId();
  const [plan, setPlan] = useState<string | null>(plans[0]?.id ?? null);
  const [customer, setCustomer] = useState("");
  const [name, setName] = useState("");
  const [failure, setFailure] = useState<ActionFailure>();
  const [pending, startTransition] = useTransition();
  const errorAt = (path: string) => failure?.errors?.find((each) => each.path === path)?.message;
  const isShownAtField = ["plan", "customer", "name"].some((path) => errorAt(path) !== undefined);

  function submit() {
    if (pending || plan === null) return;
    setFailure(undefined);
    startTransition(async () => {
      const result = await callAction(create, {
        plan,
        ...(customer.trim() === "" ? {} : { customer: customer.trim() }),
        ...(name.trim() === "" ? {} : { name: name.trim() }),
      });
      if (result.ok) onMade(result.data);
      else setFailure(result);
    });
  }

  return (
    <form
      id={formId}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="Plan" error={errorAt("plan")}>
        <Select
          options={plans.map(({ id, name: label }) => ({ value: id, label }))}
          value={plan}
          onValueChange={setPlan}
        />
      </Field>
      <Field
        label="Customer"
        optional
        error={errorAt("customer")}
        hint="Who owns the key: a new one is made with this plan, a known one must be on it. Without one the key gets its own."
      >
        <Input
          code
          value={customer}
          maxLength={63}
          placeholder="acme"
          onValueChange={setCustomer}
        />
      </Field>
      <Field label="Name" optional error={errorAt("name")} hint="For people, such as “production”.">
        <Input value={name} maxLength={120} onValueChange={setName} />
      </Field>
      <FormError>{!isShownAtField && failure?.message}</FormError>
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        disabled={plan === null}
        pending={pending}
        pendingLabel="Creating…"
      >
        Create key
      </Button>
    </form>
  );
}
