"use client";

import { Trash2 } from "lucide-react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { formatPlural } from "@/components/ui/format";
import type { DraftActions } from "./draft-actions-data";

export function DiscardDraft(props: { changes: number; discard: DraftActions["discard"] }) {
  const { changes, discard } = props;
  return (
    <ConfirmDialog
      title="Discard the draft"
      description={`${formatPlural(changes, "change")} of yours will be gone. What is live stays as it is; the audit log keeps what the draft held.`}
      confirmLabel="Discard draft"
      pendingLabel="Discarding…"
      tone="danger"
      trigger={
        <PermittedButton needs="draft" variant="danger-outline">
          <Trash2 aria-hidden /> Discard
        </PermittedButton>
      }
      onConfirm={async () => {
        const result = await callAction(discard, {});
        return result.ok ? undefined : { error: result.message };
      }}
    />
  );
}
