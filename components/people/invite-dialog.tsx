"use client";

import { UserPlus } from "lucide-react";
import { useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { RadioGroup } from "@/components/ui/radio-group";
import type { Role } from "@/lib/core/access";
import type { InvitationCreated } from "@/lib/core/api/people";
import { LinkOnce } from "./link-once";
import type { PeopleActions } from "./people-actions";
import { ROLE_OPTIONS } from "./role-words";

type InviteDialogProps = { invite: PeopleActions["invite"] };

export function InviteDialog({ invite }: InviteDialogProps) {
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<InvitationCreated>();
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (open) setMade(undefined);
      }}
      title={made ? `Invitation for ${made.email}` : "Invite a person"}
      {...(made
        ? { footer: <Button onClick={() => setOpen(false)}>I have copied it</Button> }
        : { description: "You get a link to send them. They choose their own password." })}
      trigger={
        <PermittedButton needs="people" variant="primary">
          <UserPlus aria-hidden /> Invite
        </PermittedButton>
      }
    >
      {made ? <LinkOnce made={made} /> : <InviteForm invite={invite} onMade={setMade} />}
    </Dialog>
  );
}

type FormProps = InviteDialogProps & { onMade: (made: InvitationCreated) => void };

function InviteForm({ invite, onMade }: FormProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (pending) return;
        setError(undefined);
        startTransition(async () => {
          const result = await callAction(invite, { email, role });
          if (result.ok) onMade(result.data);
          else setError(result.errors?.[0]?.message ?? result.message);
        });
      }}
    >
      <Field label="Email">
        <Input type="email" autoComplete="off" value={email} onValueChange={setEmail} />
      </Field>
      <div>
        <p id="invite-role" className="mb-1 text-sm font-medium">
          Role
        </p>
        <RadioGroup
          aria-labelledby="invite-role"
          value={role}
          onValueChange={setRole}
          options={ROLE_OPTIONS}
        />
      </div>
      <FormError>{error}</FormError>
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        disabled={email.trim() === ""}
        pending={pending}
        pendingLabel="Making the link…"
      >
        Make the link
      </Button>
    </form>
  );
}
