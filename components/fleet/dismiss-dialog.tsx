"use client";

import { useState } from "react";
import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Field } from "@/components/ui/field";
import { formatUtc } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import { UserText } from "@/components/ui/user-text";
import type { GatewayRow } from "@/lib/core/api/gateways";
import type { DismissGateway } from "./gateway-actions";

type DismissDialogProps = {
  gateway: GatewayRow;
  dismissGateway: DismissGateway;
  onClose: () => void;
};

export function DismissDialog({ gateway, dismissGateway, onClose }: DismissDialogProps) {
  const [reason, setReason] = useState("");
  const { id, lastSeenAt } = gateway;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Dismiss <UserText code>{id}</UserText>
        </>
      }
      description={`Last heard ${formatUtc(new Date(lastSeenAt))}. It leaves the fleet's count: versions converge without it, and the others divide local limits by fewer. Should it report again, it is back.`}
      confirmLabel="Dismiss it"
      pendingLabel="Dismissing…"
      onConfirm={async () => {
        const result = await callAction(dismissGateway, {
          id,
          ...(reason.trim() === "" ? {} : { reason }),
        });
        return result.ok ? undefined : { error: result.message };
      }}
    >
      <Field label="Reason" optional hint="Goes to the audit log.">
        <Input value={reason} maxLength={500} onValueChange={setReason} />
      </Field>
    </ConfirmDialog>
  );
}
