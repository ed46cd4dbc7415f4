"use client";

import { Trash2 } from "lucide-react";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
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
        <Button variant="danger-outline">
          <Trash2 aria-hidden /> Discard
        </Button>
      }
      onConfirm={async () => {
        const result = await callAction(discard, {});
        return result.ok ? undefined : { error: result.message };
      }}
    />
  );
}
