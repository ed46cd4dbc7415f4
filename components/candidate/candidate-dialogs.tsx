"use client";

import { useRouter } from "next/navigation";
import { createContext, type ReactNode, useContext, useState } from "react";
import type { CandidateActions, CandidateSubject } from "./candidate-actions-data";
import { DropDialog } from "./drop-dialog";
import { PromoteDialog } from "./promote-dialog";
import { RampDialog } from "./ramp-dialog";
import { ShareDialog } from "./share-dialog";

type Kind = "share" | "ramp" | "promote" | "drop";
type OpenDialog = (kind: Kind, subject: CandidateSubject) => void;

const Context = createContext<OpenDialog>(() => {});

export function useCandidateDialog(): OpenDialog {
  return useContext(Context);
}

type CandidateDialogsProps = { actions: CandidateActions; children: ReactNode };

/** The dialogs stand outside of what they are about: a promotion takes the candidate from the page, and goes on to be shown. */
export function CandidateDialogs({ actions, children }: CandidateDialogsProps) {
  const router = useRouter();
  const [open, setOpen] = useState<{ kind: Kind; subject: CandidateSubject } | null>(null);
  const onClose = () => {
    router.refresh();
    setOpen(null);
  };
  const subject = open?.subject;
  return (
    <Context value={(kind, subject) => setOpen({ kind, subject })}>
      {children}
      {subject && open.kind === "share" && <ShareDialog {...{ subject, actions, onClose }} />}
      {subject && open.kind === "ramp" && <RampDialog {...{ subject, actions, onClose }} />}
      {subject && open.kind === "promote" && <PromoteDialog {...{ subject, actions, onClose }} />}
      {subject && open.kind === "drop" && (
        <DropDialog subject={subject} drop={actions.drop} onClose={onClose} />
      )}
    </Context>
  );
}
