"use client";

import { ArrowUpToLine, Pencil, Percent, TrendingUp, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { PermittedButton, PermittedLink } from "@/components/shell/permissions";
import type { Share } from "@/lib/core/candidate";
import type { CandidateActions } from "./candidate-actions-data";
import { DropDialog } from "./drop-dialog";
import { PromoteDialog } from "./promote-dialog";
import { RampDialog } from "./ramp-dialog";
import { ShareDialog } from "./share-dialog";

/** The candidate that a dialog is about, as the page showed it. */
export type CandidateSubject = {
  /** The rule's. */
  id: string;
  name: string;
  sentence: string;
  share: Share;
  shareWords: string;
  isShared: boolean;
};

type CandidateButtonsProps = {
  subject: CandidateSubject;
  actions: CandidateActions;
  /** Why a share means nothing to this rule; null when it does. */
  noShare: string | null;
  hasOpenRamp: boolean;
};

export function CandidateButtons(props: CandidateButtonsProps) {
  const { subject, actions, noShare, hasOpenRamp } = props;
  const router = useRouter();
  const [kind, setKind] = useState<"share" | "ramp" | "promote" | "drop" | null>(null);
  const close = () => {
    router.refresh();
    setKind(null);
  };
  const dialog = { subject, actions, onClose: close };
  const noRamp = hasOpenRamp ? "It has a ramp already: end that first" : (noShare ?? undefined);
  return (
    <>
      <PermittedButton needs="publish" variant="primary" onClick={() => setKind("promote")}>
        <ArrowUpToLine aria-hidden /> Promote…
      </PermittedButton>
      <PermittedButton
        needs="relax"
        {...(noShare === null ? {} : { refused: noShare })}
        onClick={() => setKind("share")}
      >
        <Percent aria-hidden /> Share…
      </PermittedButton>
      <PermittedButton
        needs="publish"
        {...(noRamp === undefined ? {} : { refused: noRamp })}
        onClick={() => setKind("ramp")}
      >
        <TrendingUp aria-hidden /> Ramp…
      </PermittedButton>
      <PermittedLink
        needs="publish"
        href={`/rules/${encodeURIComponent(subject.id)}/edit?of=candidate`}
      >
        <Pencil aria-hidden /> Change it
      </PermittedLink>
      <PermittedButton needs="relax" onClick={() => setKind("drop")}>
        <X aria-hidden /> Drop…
      </PermittedButton>
      {kind === "share" && <ShareDialog {...dialog} />}
      {kind === "ramp" && <RampDialog {...dialog} />}
      {kind === "promote" && <PromoteDialog {...dialog} />}
      {kind === "drop" && <DropDialog subject={subject} drop={actions.drop} onClose={close} />}
    </>
  );
}
