"use client";

import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Badge } from "@/components/ui/badge";
import { FormError } from "@/components/ui/field";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { InvitationRow } from "@/lib/core/api/people";
import type { PeopleActions } from "./people-actions";

type InvitationListProps = {
  invitations: readonly InvitationRow[];
  withdraw: PeopleActions["withdraw"];
};

/** Links that still open something. */
export function InvitationList({ invitations, withdraw }: InvitationListProps) {
  const [error, setError] = useState<string>();
  if (invitations.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold">Open links</h2>
      <ul className="divide-y rounded-lg border bg-surface">
        {invitations.map((row) => (
          <li key={row.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <span className="min-w-0 flex-1 basis-64">
              <span className="flex flex-wrap items-center gap-2">
                <UserText className="font-medium">{row.email}</UserText>
                <Badge>{row.kind === "invite" ? `joins as ${row.role}` : "new password"}</Badge>
              </span>
              <span className="block text-sm text-muted">
                by <UserText>{row.createdBy}</UserText>, until{" "}
                <Time at={row.expiresAt} format="datetime" />
              </span>
            </span>
            <WithdrawButton row={row} withdraw={withdraw} onError={setError} />
          </li>
        ))}
      </ul>
      <FormError>{error}</FormError>
    </section>
  );
}

type WithdrawProps = Pick<InvitationListProps, "withdraw"> & {
  row: InvitationRow;
  onError: (message: string | undefined) => void;
};

function WithdrawButton({ row, withdraw, onError }: WithdrawProps) {
  const [pending, startTransition] = useTransition();
  return (
    <PermittedButton
      needs="people"
      size="sm"
      pending={pending}
      pendingLabel="Withdrawing…"
      aria-label={`Withdraw the link of ${row.email}`}
      onClick={() =>
        startTransition(async () => {
          const result = await callAction(withdraw, { id: row.id });
          onError(result.ok ? undefined : result.message);
        })
      }
    >
      Withdraw
    </PermittedButton>
  );
}
