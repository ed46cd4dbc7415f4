"use client";

import { useRouter } from "next/navigation";
import { useId, useState, useTransition } from "react";
import { callAction } from "@/components/ui/action-result";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { FormError } from "@/components/ui/field";
import { RadioGroup } from "@/components/ui/radio-group";
import { ReasonField } from "@/components/ui/reason-field";
import { GuardrailSchema } from "@/lib/core/guardrail";
import type { GuardrailDialogProps } from "./guardrail-actions";
import { GuardrailBounds, WATCHED_ACTIONS } from "./guardrail-fields";
import { actionOf, fieldsOf, parseGuardrail } from "./guardrail-input";
import { guardrailSentence } from "./guardrail-sentence";

type Props = GuardrailDialogProps & { onClose: () => void };

/** Other bounds from now on: what was held is watched anew. */
export function SetGuardrailDialog({ enforcement, actions, onClose }: Props) {
  const router = useRouter();
  const formId = useId();
  const { rule: id, predicted, protectedPlans } = enforcement;
  const [wanted, setWanted] = useState<unknown>(enforcement.guardrail ?? GuardrailSchema.parse({}));
  const [reason, setReason] = useState("");
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const { guardrail, errorAt } = parseGuardrail(wanted);
  const form = { value: wanted, set: setWanted, errorAt };

  function submit() {
    setAsked(true);
    if (pending || reason.trim() === "" || !guardrail) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(actions.set, { id, guardrail, reason });
      if (!result.ok) {
        setError(result.errors?.[0]?.message ?? result.message);
        return;
      }
      router.refresh();
      onClose();
    });
  }

  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && !pending && onClose()}
      title="Watch it by these bounds"
      description="From now on: what was counted before is not held against it."
      footer={
        <DialogFormActions
          formId={formId}
          pending={pending}
          pendingLabel="Setting…"
          onCancel={onClose}
        >
          Watch it
        </DialogFormActions>
      }
    >
      <form
        id={formId}
        noValidate
        className="@container flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <RadioGroup
          aria-label="When a bound is crossed"
          className="gap-x-6 @xl:grid @xl:grid-cols-2"
          options={WATCHED_ACTIONS}
          value={actionOf(wanted) === "hold" ? "hold" : "undo"}
          onValueChange={(action) => setWanted({ ...fieldsOf(wanted), action })}
        />
        <GuardrailBounds form={form} protectedPlans={protectedPlans} />
        {guardrail && (
          <p className="text-sm text-muted" aria-live="polite">
            {guardrailSentence(guardrail, { protectedPlans, predicted })}
          </p>
        )}
        <ReasonField value={reason} onValueChange={setReason} isAsked={isAsked} />
        <FormError>{error}</FormError>
      </form>
    </Dialog>
  );
}
