"use client";

import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { UserText } from "@/components/ui/user-text";
import type { OverrideRow } from "@/lib/core/api/overrides";
import type { OverrideActions } from "./override-actions";

type EndOverrideDialogProps = {
  row: OverrideRow;
  end: OverrideActions["end"];
  onClose: () => void;
};

export function EndOverrideDialog({ row, end, onClose }: EndOverrideDialogProps) {
  const { id, client, words, planWords, ruleName, rule, state } = row;
  const isBack = state === "active" && planWords !== "" && planWords !== "not matched";
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="End the override now"
      description={
        <>
          <UserText code>{client}</UserText> of rule <UserText>{ruleName || rule}</UserText>:{" "}
          {isBack ? (
            <>
              {words} becomes {planWords} within a second, as its plan gives.
            </>
          ) : (
            <>the {words} it gave are gone within a second.</>
          )}{" "}
          Counters go on. It stays in the audit log, and cannot be revived: a new one can be made.
        </>
      }
      tone="danger"
      confirmLabel="End it now"
      pendingLabel="Ending…"
      onConfirm={async () => {
        const result = await callAction(end, { id });
        return result.ok ? undefined : { error: result.message };
      }}
    />
  );
}
