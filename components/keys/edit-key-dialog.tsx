"use client";

import { useId, useState, useTransition } from "react";
import { callAction } from "@/components/ui/action-result";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { UserText } from "@/components/ui/user-text";
import type { KeyRow } from "@/lib/core/api/keys";
import type { KeyActions, PlanChoice } from "./key-actions";

type EditKeyDialogProps = {
  row: KeyRow;
  plans: readonly PlanChoice[];
  update: KeyActions["update"];
  onClose: () => void;
};

/** Renames a key, or moves its customer to another plan. */
export function EditKeyDialog({ row, plans, update, onClose }: EditKeyDialogProps) {
  const formId = useId();
  const [name, setName] = useState(row.name);
  const [plan, setPlan] = useState(row.plan);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const isMoved = plan !== row.plan;
  const isRenamed = name.trim() !== row.name;
  const known = plans.some(({ id }) => id === row.plan)
    ? plans
    : [{ id: row.plan, name: `${row.plan} (not in the live version)` }, ...plans];

  function submit() {
    if (pending) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(update, {
        id: row.id,
        ...(isRenamed ? { name: name.trim() } : {}),
        ...(isMoved ? { plan } : {}),
      });
      if (result.ok) onClose();
      else setError(result.message);
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title={
        <>
          Change <UserText>{row.name}</UserText>
        </>
      }
      description={
        <>
          Key <code className="font-mono">{row.prefix}…</code> of customer{" "}
          <UserText code>{row.customer}</UserText>
        </>
      }
      footer={
        <DialogFormActions
          formId={formId}
          disabled={!isMoved && !isRenamed}
          pending={pending}
          pendingLabel="Saving…"
          onCancel={onClose}
        >
          {isMoved ? `Move customer to ${plan}` : "Save"}
        </DialogFormActions>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label="Name">
          <Input value={name} maxLength={120} onValueChange={setName} />
        </Field>
        <Field
          label="Plan"
          hint={
            <>
              A key has its customer’s plan: this moves <UserText code>{row.customer}</UserText>{" "}
              with all its keys, within a second and without a publish. Counters go on.
            </>
          }
        >
          <Select
            options={known.map(({ id, name: label }) => ({ value: id, label }))}
            value={plan}
            onValueChange={setPlan}
          />
        </Field>
        <FormError>{error}</FormError>
      </form>
    </Dialog>
  );
}
