"use client";

import { useState } from "react";
import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Field } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import { UserText } from "@/components/ui/user-text";
import type { CandidateActions, CandidateSubject } from "./candidate-actions-data";

type DropDialogProps = {
  subject: CandidateSubject;
  drop: CandidateActions["drop"];
  onClose: () => void;
};

export function DropDialog({ subject, drop, onClose }: DropDialogProps) {
  const { version, environment, fleet } = useOverview();
  const [seen] = useState(version);
  const [reason, setReason] = useState("");
  const { id, name, isShared, shareWords } = subject;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Drop the candidate of <UserText>{name}</UserText>
        </>
      }
      description={
        isShared
          ? `${shareWords} get the live revision again, as all others had all the time. It needs no approval.`
          : "What is live goes on as it is. It stops being counted; its revision stays in the history."
      }
      confirmLabel={`Drop it in ${environment} on ${formatPlural(fleet.live, "gateway")}`}
      pendingLabel="Dropping…"
      tone="danger"
      onConfirm={async () => {
        const result = await callAction(drop, {
          id,
          expectVersion: seen,
          ...(reason.trim() === "" ? {} : { reason }),
        });
        return result.ok ? undefined : { error: result.message };
      }}
    >
      <Field label="Reason" optional hint="Goes to the audit log.">
        <Input value={reason} maxLength={500} autoComplete="off" onValueChange={setReason} />
      </Field>
    </ConfirmDialog>
  );
}
