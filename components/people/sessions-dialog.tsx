"use client";

import { useState, useTransition } from "react";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { FormError } from "@/components/ui/field";
import { Skeleton } from "@/components/ui/skeleton";
import { UserText } from "@/components/ui/user-text";
import type { PersonRow, SessionRow } from "@/lib/core/api/people";
import type { PeopleActions } from "./people-actions";
import { SessionItems } from "./session-items";

type SessionsDialogProps = {
  person: PersonRow;
  actions: Pick<PeopleActions, "endSessions">;
  /** Undefined while they are asked for. */
  sessions: readonly SessionRow[] | undefined;
  error: string | undefined;
  onEnded: () => void;
  onClose: () => void;
};

/** Where a person is signed in, each to be ended by an admin. */
export function SessionsDialog(props: SessionsDialogProps) {
  const { person, actions, sessions, onEnded, onClose } = props;
  const [failure, setFailure] = useState<string>();
  const [pending, startTransition] = useTransition();
  async function end(sessionId?: string) {
    const which = sessionId === undefined ? {} : { sessionId };
    const result = await callAction(actions.endSessions, { id: person.id, ...which });
    if (result.ok) onEnded();
    else setFailure(result.message);
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Sessions of <UserText>{person.name}</UserText>
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="danger-outline"
            disabled={sessions === undefined || sessions.length === 0}
            pending={pending}
            pendingLabel="Ending…"
            onClick={() => startTransition(() => end())}
          >
            End all
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {sessions === undefined ? (
          <Skeleton className="h-16" />
        ) : (
          <SessionItems sessions={sessions} end={end} />
        )}
        <FormError>{failure ?? props.error}</FormError>
      </div>
    </Dialog>
  );
}
