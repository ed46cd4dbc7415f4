"use client";

import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { UserText } from "@/components/ui/user-text";
import type { ClientReset } from "@/lib/core/api/clients";

export type ResetAction = Action<{ client: string; rule?: string; reason: string }, ClientReset>;

type ResetButtonProps = {
  client: string;
  customer: string | null;
  /** Only this rule's buckets; absent: all. */
  rule?: { id: string; name: string };
  action: ResetAction;
};

/** Fills a client's buckets, with a reason. */
export function ResetButton({ client, customer, rule, action }: ResetButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const [done, setDone] = useState<string>();
  const isOfKey = client.startsWith("key:") && customer !== null;
  return (
    <>
      <PermittedButton
        needs="reset"
        {...(rule === undefined
          ? {}
          : { size: "sm" as const, "aria-label": `Reset rule ${rule.name}` })}
        onClick={() => setOpen(true)}
      >
        <RotateCcw aria-hidden /> Reset{rule === undefined ? " counters" : ""}
      </PermittedButton>
      <span role="status" className="text-sm text-muted empty:hidden">
        {done}
      </span>
      <ConfirmDialog
        open={isOpen}
        onOpenChange={(open) => {
          setOpen(open);
          setReason("");
        }}
        title="Reset counters"
        description={
          <>
            <UserText code>{client}</UserText> gets{" "}
            {rule === undefined ? (
              "all its tokens"
            ) : (
              <UserText>{`its tokens of ${rule.name}`}</UserText>
            )}{" "}
            back on every gateway within a second.
            {isOfKey && (
              <>
                {" "}
                What its customer <UserText code>{customer}</UserText> is counted in is reset as
                well.
              </>
            )}{" "}
            Requests in flight, and what others share, stay.
          </>
        }
        confirmLabel="Reset counters"
        pendingLabel="Resetting…"
        disabled={reason.trim() === ""}
        onConfirm={async () => {
          const only = rule === undefined ? {} : { rule: rule.id };
          const result = await callAction(action, { client, ...only, reason });
          if (!result.ok) return { error: result.message };
          setDone(doneWords(result.data));
          return undefined;
        }}
      >
        <Field label="Reason" hint="Kept in the audit log, such as the number of a ticket">
          <Input value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </ConfirmDialog>
    </>
  );
}

function doneWords({ rules, told }: ClientReset): string {
  const what = rules.length === 0 ? "Nothing was used" : `Reset: ${rules.join(", ")}`;
  return told ? what : `${what}; gateways were not told and follow within a second`;
}
