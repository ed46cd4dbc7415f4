"use client";

import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { formatPlural } from "@/components/ui/format";
import { UserText } from "@/components/ui/user-text";
import type { CandidateActions, CandidateSubject } from "./candidate-actions-data";
import { CandidateDialog } from "./candidate-dialog";
import { CandidateForm } from "./candidate-form";

type PromoteDialogProps = {
  subject: CandidateSubject;
  actions: CandidateActions;
  onClose: () => void;
};

/** The candidate for everybody: its counters go on, the live revision is history. */
export function PromoteDialog({ subject, actions, onClose }: PromoteDialogProps) {
  const { environment, fleet } = useOverview();
  const { id, name, sentence } = subject;
  return (
    <CandidateDialog
      ruleId={id}
      title={
        <>
          Promote the candidate of <UserText>{name}</UserText>
        </>
      }
      description={<UserText>{sentence}</UserText>}
      confirm={({ version }) =>
        `Promote as v${version + 1} in ${environment} on ${formatPlural(fleet.live, "gateway")}`
      }
      pendingLabel="Promoting…"
      rollbackVersion={actions.rollbackVersion}
      onClose={onClose}
      form={({ onVersion, ...form }) => (
        <CandidateForm
          {...form}
          because={form.preview.needs.promote}
          note={
            <>
              Revision {form.preview.revision} becomes live for everybody. Its counters go on: who
              has used some of it has used it still. The way back is v{form.preview.version}: Undo,
              or Roll back at the rule, makes revision {form.preview.liveRevision} live again.
            </>
          }
          send={(said) => callAction(actions.promote, { id, ...said })}
          onDone={({ version }) => onVersion(version)}
        />
      )}
    />
  );
}
