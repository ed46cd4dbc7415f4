"use client";

import { useId, useState, useTransition } from "react";
import { idOfName } from "@/components/rules/new-rule";
import { type ActionFailure, callAction } from "@/components/ui/action-result";
import { Checkbox } from "@/components/ui/checkbox";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { UserText } from "@/components/ui/user-text";
import type { Plan } from "@/lib/core/plan";
import type { PlanActions, PlanEntry } from "./plan-actions";

type PlanDialogProps = {
  /** Null: a new one. */
  entry: PlanEntry | null;
  /** Of a new plan, to begin with. */
  nextRank: number;
  save: PlanActions["save"];
  onClose: () => void;
};

const FIELDS = ["id", "name", "rank", "description", "protected"];

/** Makes or changes a plan in the caller's draft. */
export function PlanDialog({ entry, nextRank, save, onClose }: PlanDialogProps) {
  const formId = useId();
  const start = entry?.draft ?? entry?.live ?? null;
  const [ownId, setOwnId] = useState(entry?.id);
  const [name, setName] = useState(start?.name ?? "");
  const id = ownId ?? idOfName(name);
  const [rank, setRank] = useState<number | null>(start?.rank ?? nextRank);
  const [description, setDescription] = useState(start?.description ?? "");
  const [isProtected, setProtected] = useState(start?.protected ?? false);
  const [failure, setFailure] = useState<ActionFailure>();
  const [pending, startTransition] = useTransition();
  const errorAt = (path: string) =>
    failure?.errors?.find((each) => each.path === path || each.path === `body.${path}`)?.message;
  const isAtField = FIELDS.some((path) => errorAt(path) !== undefined);

  function submit() {
    if (pending) return;
    setFailure(undefined);
    startTransition(async () => {
      const result = await callAction(save, {
        id: id.trim(),
        body: bodyOf(start, { id: id.trim(), name, rank, description, protected: isProtected }),
        edit: entry?.edit ?? 0,
        baseVersion: entry?.baseVersion ?? 0,
      });
      if (result.ok) onClose();
      else setFailure(result);
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title={
        entry === null ? (
          "New plan"
        ) : (
          <>
            Change <UserText>{start?.name ?? entry.id}</UserText>
          </>
        )
      }
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
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Name" error={errorAt("name")}>
            <Input value={name} maxLength={80} onValueChange={setName} />
          </Field>
          <Field
            label="Id"
            error={errorAt("id")}
            hint={entry === null ? "As rules and keys name it; it stays." : "It stays."}
          >
            <Input
              code
              value={id}
              readOnly={entry !== null}
              maxLength={63}
              placeholder="startup"
              onValueChange={setOwnId}
            />
          </Field>
        </div>
        <Field
          label="Rank"
          error={errorAt("rank")}
          hint="Order among plans, the lowest tier first."
        >
          <NumberInput
            className="max-w-40"
            min={0}
            max={1000}
            value={rank}
            onValueChange={setRank}
          />
        </Field>
        <Field label="Description" optional error={errorAt("description")}>
          <Textarea
            value={description}
            maxLength={500}
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        <Checkbox
          checked={isProtected}
          onCheckedChange={setProtected}
          label="Protected"
          hint="Its clients weigh more: reports and dialogs name them."
        />
        <FormError>{!isAtField && failure?.message}</FormError>
      </form>
    </Dialog>
  );
}

type Fields = {
  id: string;
  name: string;
  rank: number | null;
  description: string;
  protected: boolean;
};

/** What the form does not know, such as `meta`, stays. */
function bodyOf(start: Plan | null, fields: Fields): unknown {
  return { ...start, ...fields };
}
