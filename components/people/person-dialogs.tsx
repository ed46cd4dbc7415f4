"use client";

import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { ConfirmDialog } from "@/components/ui/confirm-dialog";
import { Dialog } from "@/components/ui/dialog";
import { UserText } from "@/components/ui/user-text";
import type { InvitationCreated, PersonRow } from "@/lib/core/api/people";
import { LinkOnce } from "./link-once";
import type { PeopleActions } from "./people-actions";

type PersonDialogProps = { person: PersonRow; actions: PeopleActions; onClose: () => void };

export function DisableDialog({ person, actions, onClose }: PersonDialogProps) {
  const { disabled } = person;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          {disabled ? "Enable" : "Disable"} <UserText>{person.name}</UserText>
        </>
      }
      description={
        disabled
          ? `${person.email} can sign in again, as ${person.role}.`
          : `${person.email} is signed out everywhere at once and cannot come back, by password or single sign-on, until somebody enables them.`
      }
      tone={disabled ? "primary" : "danger"}
      confirmLabel={disabled ? "Enable" : "Disable"}
      onConfirm={async () => {
        const result = await callAction(actions.update, { id: person.id, disabled: !disabled });
        return result.ok ? undefined : { error: result.message };
      }}
    />
  );
}

export function RemoveDialog({ person, actions, onClose }: PersonDialogProps) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Remove <UserText>{person.name}</UserText>
        </>
      }
      description={`Account, sessions and unpublished draft of ${person.email} go for good. What they did stays in the audit log.`}
      tone="danger"
      typeToConfirm={person.email}
      confirmLabel="Remove the person"
      pendingLabel="Removing…"
      onConfirm={async () => {
        const result = await callAction(actions.remove, { id: person.id });
        return result.ok ? undefined : { error: result.message };
      }}
    />
  );
}

type PasswordLinkProps = PersonDialogProps & {
  made: InvitationCreated | undefined;
  onMade: (made: InvitationCreated) => void;
};

export function PasswordLinkDialog(props: PasswordLinkProps) {
  const { person, actions, made, onMade, onClose } = props;
  if (made !== undefined)
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={`New password for ${made.email}`}
        footer={<Button onClick={onClose}>I have copied it</Button>}
      >
        <LinkOnce made={made} />
      </Dialog>
    );
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && made === undefined && onClose()}
      title={
        <>
          Password link for <UserText>{person.name}</UserText>
        </>
      }
      description={`A link with which ${person.email} sets a new password, once, within 24 hours. The present password works until then.`}
      confirmLabel="Make the link"
      pendingLabel="Making the link…"
      onConfirm={async () => {
        const result = await callAction(actions.passwordLink, { id: person.id });
        if (!result.ok) return { error: result.message };
        onMade(result.data);
      }}
    />
  );
}
