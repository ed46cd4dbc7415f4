"use client";

import { ArrowUpToLine, Pencil, Percent, TrendingUp, X } from "lucide-react";
import { PermittedButton, PermittedLink } from "@/components/shell/permissions";
import type { CandidateSubject } from "./candidate-actions-data";
import { useCandidateDialog } from "./candidate-dialogs";

type CandidateButtonsProps = {
  subject: CandidateSubject;
  /** Why a share means nothing to this rule; null when it does. */
  noShare: string | null;
  hasOpenRamp: boolean;
};

export function CandidateButtons({ subject, noShare, hasOpenRamp }: CandidateButtonsProps) {
  const open = useCandidateDialog();
  const noRamp = hasOpenRamp ? "It has a ramp already: end that first" : (noShare ?? undefined);
  return (
    <>
      <PermittedButton needs="publish" variant="primary" onClick={() => open("promote", subject)}>
        <ArrowUpToLine aria-hidden /> Promote…
      </PermittedButton>
      <PermittedButton
        needs="relax"
        {...(noShare === null ? {} : { refused: noShare })}
        onClick={() => open("share", subject)}
      >
        <Percent aria-hidden /> Share…
      </PermittedButton>
      <PermittedButton
        needs="publish"
        {...(noRamp === undefined ? {} : { refused: noRamp })}
        onClick={() => open("ramp", subject)}
      >
        <TrendingUp aria-hidden /> Ramp…
      </PermittedButton>
      <PermittedLink
        needs="publish"
        href={`/rules/${encodeURIComponent(subject.id)}/edit?of=candidate`}
      >
        <Pencil aria-hidden /> Change it
      </PermittedLink>
      <PermittedButton needs="relax" onClick={() => open("drop", subject)}>
        <X aria-hidden /> Drop…
      </PermittedButton>
    </>
  );
}
