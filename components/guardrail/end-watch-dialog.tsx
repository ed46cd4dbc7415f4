"use client";

import { useRouter } from "next/navigation";
import { useId, useState, useTransition } from "react";
import { callAction } from "@/components/ui/action-result";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { FormError } from "@/components/ui/field";
import { ReasonField } from "@/components/ui/reason-field";
import type { GuardrailDialogProps } from "./guardrail-actions";

type Props = Pick<GuardrailDialogProps, "enforcement" | "actions"> & { onClose: () => void };

/** The change stays as it is, and nothing takes it back by itself any more. */
export function EndWatchDialog({ enforcement: { rule: id, version }, actions, onClose }: Props) {
  const router = useRouter();
  const formId = useId();
  const [reason, setReason] = useState("");
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();

  function submit() {
    setAsked(true);
    if (pending || reason.trim() === "") return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(actions.end, { id, reason });
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
      onOpenChange={(open) => !open && !pending && onClose()}
      title="End the watch"
      description={`What v${version} enforced stays. Nothing takes it back by itself any more.`}
      footer={
        <DialogFormActions
          formId={formId}
          variant="danger"
          pending={pending}
          pendingLabel="Ending…"
          onCancel={onClose}
        >
          End the watch
        </DialogFormActions>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <ReasonField value={reason} onValueChange={setReason} isAsked={isAsked} />
        <FormError>{error}</FormError>
      </form>
    </Dialog>
  );
}
