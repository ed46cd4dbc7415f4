"use client";

import { useId, useState, useTransition } from "react";
import { type ActionFailure, callAction } from "@/components/ui/action-result";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { type ListName, PER_SECOND_MAX } from "@/lib/core/list-entry";
import type { ListActions, ListRow } from "./list-actions";
import { LIST_WORDS } from "./list-words";

type EntryDialogProps = {
  list: ListName;
  /** Null: new ones. */
  row: ListRow | null;
  /** Of new ones, to begin with. */
  start?: string | undefined;
  save: ListActions["save"];
  onClose: () => void;
};

const SHOWN_ERRORS = 5;

/** Puts entries on a list of the caller's draft, or changes one. */
export function EntryDialog({ list, row, start = "", save, onClose }: EntryDialogProps) {
  const formId = useId();
  const [text, setText] = useState(row?.value ?? start);
  const [reason, setReason] = useState(row?.reason ?? "");
  const [perSecond, setPerSecond] = useState<number | null>(row?.perSecond ?? 50);
  const [failure, setFailure] = useState<ActionFailure>();
  const [isChecked, setChecked] = useState(false);
  const [pending, startTransition] = useTransition();
  const words = LIST_WORDS[list];
  const values = linesOf(text);
  const missing = {
    values: values.length === 0 ? "Say who is meant." : undefined,
    reason: reason.trim() === "" ? "Say why: who comes next must know." : undefined,
  };
  const errors = errorsOf(failure);

  function submit() {
    setChecked(true);
    if (pending || missing.values !== undefined || missing.reason !== undefined) return;
    setFailure(undefined);
    startTransition(async () => {
      const result = await callAction(save, {
        list,
        values,
        reason,
        perSecond: list === "flood" ? perSecond : null,
        replaces: row?.value ?? null,
      });
      if (result.ok) onClose();
      else setFailure(result);
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title={row === null ? `Add to the ${list} list` : `Change an entry of the ${list} list`}
      description="Goes into your draft: nothing is live before you publish it."
      footer={
        <DialogFormActions
          formId={formId}
          pending={pending}
          pendingLabel="Saving…"
          onCancel={onClose}
        >
          Save to draft
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
        <Field
          label={list === "flood" ? "Addresses" : "Clients or addresses"}
          hint={words.hint}
          error={errors.values ?? (isChecked ? missing.values : undefined)}
        >
          {row === null ? (
            <Textarea
              code
              rows={4}
              placeholder={words.placeholder}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          ) : (
            <Input code value={text} onValueChange={setText} />
          )}
        </Field>
        {list === "flood" && (
          <Field
            label="Requests a second"
            hint="Of each address, at each gateway. IPv6 by the client's prefix."
            error={errors.perSecond}
          >
            <NumberInput
              className="max-w-40"
              min={1}
              max={PER_SECOND_MAX}
              value={perSecond}
              onValueChange={setPerSecond}
            />
          </Field>
        )}
        <Field
          label="Reason"
          hint="Kept with the entry, and shown in the diff and the audit."
          error={errors.reason ?? (isChecked ? missing.reason : undefined)}
        >
          <Input value={reason} maxLength={300} onValueChange={setReason} />
        </Field>
        <FormError>{errors.other}</FormError>
      </form>
    </Dialog>
  );
}

function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

type Errors = { values?: string; perSecond?: string; reason?: string; other?: string };

/** Paths are places in the whole list, `12.value`; of many entries with one fault each sentence is said once. */
function errorsOf(failure: ActionFailure | undefined): Errors {
  if (failure === undefined) return {};
  const of = (field: string) => {
    const found = (failure.errors ?? []).filter(({ path }) => path.split(".").at(-1) === field);
    const sentences = [...new Set(found.map(({ message }) => message))];
    const more = sentences.length - SHOWN_ERRORS;
    const shown = sentences.slice(0, SHOWN_ERRORS).join(". ");
    return more > 0 ? `${shown}. And ${more} more.` : shown;
  };
  const [values, perSecond, reason] = [of("value"), of("perSecond"), of("reason")];
  const isAtField = values !== "" || perSecond !== "" || reason !== "";
  return {
    ...(values === "" ? {} : { values }),
    ...(perSecond === "" ? {} : { perSecond }),
    ...(reason === "" ? {} : { reason }),
    ...(isAtField ? {} : { other: failure.message }),
  };
}
