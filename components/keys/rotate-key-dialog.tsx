"use client";

import { useId, useState, useTransition } from "react";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { KeyRotated, KeyRow } from "@/lib/core/api/keys";
import type { KeyActions } from "./key-actions";
import { SecretOnce } from "./secret-once";

const GRACES = [
  { value: "0", label: "Not at all: it ends at once" },
  { value: "1", label: "For an hour" },
  { value: "24", label: "For a day" },
  { value: "168", label: "For 7 days" },
  { value: "720", label: "For 30 days" },
] as const;

type RotateKeyDialogProps = {
  row: KeyRow;
  rotate: KeyActions["rotate"];
  gatewayUrl: string;
  onClose: () => void;
};

/** A new text for the same client, shown once. */
export function RotateKeyDialog({ row, rotate, gatewayUrl, onClose }: RotateKeyDialogProps) {
  const formId = useId();
  const [grace, setGrace] = useState<(typeof GRACES)[number]["value"]>("24");
  const [made, setMade] = useState<KeyRotated>();
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();

  function submit() {
    if (pending) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(rotate, { id: row.id, graceHours: Number(grace) });
      if (result.ok) setMade(result.data);
      else setError(result.message);
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title={
        <>
          {made ? "New text of " : "Rotate "}
          <UserText>{row.name}</UserText>
        </>
      }
      {...(made
        ? {}
        : {
            description: (
              <>
                Key <code className="font-mono">{row.prefix}…</code> of customer{" "}
                <UserText code>{row.customer}</UserText> gets a new text. The client stays{" "}
                <UserText code>{`key:${row.id}`}</UserText>: counters and overrides go on.
              </>
            ),
          })}
      footer={
        made ? (
          <Button onClick={onClose}>I have copied it</Button>
        ) : (
          <DialogFormActions
            formId={formId}
            pending={pending}
            pendingLabel="Rotating…"
            onCancel={onClose}
          >
            Rotate the key
          </DialogFormActions>
        )
      }
    >
      {made ? (
        <div className="flex flex-col gap-3">
          <SecretOnce
            what="API key"
            secret={made.key}
            command={`curl -i ${gatewayUrl}/ -H 'X-API-Key: ${made.key}'`}
          />
          <p className="text-sm text-muted">
            {made.previousUntil === null ? (
              "The old text works no more."
            ) : (
              <>
                The old text works until <Time at={made.previousUntil} />.
              </>
            )}
          </p>
        </div>
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Field
            label="The old text still works"
            hint="Gateways end it by themselves. For a key that got into wrong hands: not at all."
          >
            <Select options={GRACES} value={grace} onValueChange={setGrace} />
          </Field>
          <FormError>{error}</FormError>
        </form>
      )}
    </Dialog>
  );
}
