"use client";

import { useState } from "react";
import { callAction } from "@/components/ui/action-result";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { RadioGroup } from "@/components/ui/radio-group";
import { UserText } from "@/components/ui/user-text";
import type { PersonRow } from "@/lib/core/api/people";
import type { PeopleActions } from "./people-actions";
import { ROLE_OPTIONS } from "./role-words";

type RoleDialogProps = {
  person: PersonRow;
  update: PeopleActions["update"];
  onClose: () => void;
};

export function RoleDialog({ person, update, onClose }: RoleDialogProps) {
  const [role, setRole] = useState(person.role);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Role of <UserText>{person.name}</UserText>
        </>
      }
      description="It holds from their next click on, also where they are signed in now."
      confirmLabel={role === person.role ? "Change the role" : `Make ${article(role)} ${role}`}
      pendingLabel="Changing…"
      disabled={role === person.role}
      onConfirm={async () => {
        const result = await callAction(update, { id: person.id, role });
        return result.ok ? undefined : { error: result.message };
      }}
    >
      <RadioGroup aria-label="Role" value={role} onValueChange={setRole} options={ROLE_OPTIONS} />
    </ConfirmDialog>
  );
}

function article(role: string): string {
  return /^[ae]/.test(role) ? "an" : "a";
}
