"use client";

import { useState } from "react";
import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { formatPlural } from "@/components/ui/format";
import { UserText } from "@/components/ui/user-text";
import { isMoreShare, type Share, shareWords } from "@/lib/core/candidate";
import { isEqual } from "@/lib/core/field-diff";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import type { CandidateActions, CandidateSubject } from "./candidate-actions-data";
import { CandidateDialog } from "./candidate-dialog";
import { CandidateForm } from "./candidate-form";
import { ShareInput } from "./share-input";

type ShareDialogProps = {
  subject: CandidateSubject;
  actions: CandidateActions;
  onClose: () => void;
};

/** For how many clients the candidate is enforced; less is the way back, and asks for nothing. */
export function ShareDialog({ subject, actions, onClose }: ShareDialogProps) {
  const { environment, fleet } = useOverview();
  const { id, name, sentence, share: before } = subject;
  const [share, setShare] = useState<Share>(before);
  return (
    <CandidateDialog
      ruleId={id}
      title={
        <>
          Share of the candidate of <UserText>{name}</UserText>
        </>
      }
      description={<UserText>{sentence}</UserText>}
      confirm={({ version }) =>
        `${typeof share === "number" ? `Enforce it for ${shareWords(share)}` : "Enforce these shares"} as v${version + 1} in ${environment} on ${formatPlural(fleet.live, "gateway")}`
      }
      pendingLabel="Setting the share…"
      rollbackVersion={actions.rollbackVersion}
      onClose={onClose}
      form={({ onVersion, ...form }) => {
        const { preview } = form;
        const plans = [...preview.plans.map((plan) => plan.id), ANONYMOUS_PLAN];
        const isMore = isMoreShare(preview.share, share, plans);
        return (
          <CandidateForm
            {...form}
            because={isMore ? preview.needs.share : null}
            problem={
              isEqual(share, preview.share)
                ? `It is enforced for ${shareWords(share)} already: choose another share.`
                : undefined
            }
            note="Who is chosen stays chosen when the share grows: 1 % is part of 10 %. The others keep the live revision, and are counted in shadow."
            send={(said) => callAction(actions.setShare, { id, share, ...said })}
            onDone={({ version }) => onVersion(version)}
          >
            <ShareInput value={share} onChange={setShare} plans={preview.plans} />
          </CandidateForm>
        );
      }}
    />
  );
}
