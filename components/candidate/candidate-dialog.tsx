"use client";

import { type ReactNode, useId, useState } from "react";
import { RequestedBanner } from "@/components/approval/requested-banner";
import { PublishedVersion } from "@/components/rules/published-version";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { SkeletonText } from "@/components/ui/skeleton";
import { useJson } from "@/components/ui/use-json";
import { type CandidatePreview, CandidatePreviewSchema } from "@/lib/core/api/candidate";
import type { CandidateActions } from "./candidate-actions-data";

export type FormProps = {
  formId: string;
  preview: CandidatePreview;
  onPending: (pending: boolean) => void;
  onLookAgain: () => void;
  onVersion: (version: number) => void;
  onRequested: (changeRequest: string) => void;
};

type CandidateDialogProps = {
  ruleId: string;
  title: ReactNode;
  description: ReactNode;
  /** Of the button that does it, once it is known what is asked for. */
  confirm: (preview: CandidatePreview) => string;
  pendingLabel: string;
  rollbackVersion: CandidateActions["rollbackVersion"];
  onClose: () => void;
  /** The form under this id. */
  form: (props: FormProps) => ReactNode;
};

/** Reads what the change would ask for, shows its form, and then how far the version has come. */
export function CandidateDialog(props: CandidateDialogProps) {
  const { ruleId, title, description, confirm, pendingLabel, rollbackVersion, onClose } = props;
  const formId = useId();
  const [looks, setLooks] = useState(1);
  // What follows # is not sent: another look is another address.
  const preview = useJson(
    `/api/v1/rules/${encodeURIComponent(ruleId)}/candidate/preview#${looks}`,
    CandidatePreviewSchema,
  );
  const [pending, setPending] = useState(false);
  const [version, setVersion] = useState<number>();
  const [requestedId, setRequestedId] = useState<string>();
  const isOver = version !== undefined || requestedId !== undefined;
  const onLookAgain = () => setLooks(looks + 1);
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && !pending && onClose()}
      title={title}
      description={isOver ? undefined : description}
      footer={
        isOver ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <DialogFormActions
            formId={formId}
            disabled={preview.data === undefined}
            pending={pending}
            pendingLabel={pendingLabel}
            className="max-w-full whitespace-normal py-1 h-auto min-h-8"
            onCancel={onClose}
          >
            {preview.data === undefined ? "Looking…" : confirm(preview.data)}
          </DialogFormActions>
        )
      }
    >
      {requestedId !== undefined && <RequestedBanner id={requestedId} />}
      {version !== undefined && (
        <PublishedVersion
          version={version}
          previous={version - 1}
          rollbackVersion={rollbackVersion}
        />
      )}
      {!isOver && preview.error !== undefined && (
        <Banner
          tone="danger"
          title="Nobody can say now whom this would hit"
          actions={
            <Button size="sm" onClick={onLookAgain}>
              Look again
            </Button>
          }
        >
          {preview.error}
        </Banner>
      )}
      {!isOver && preview.data === undefined && preview.error === undefined && (
        <div className="min-h-96">
          <SkeletonText lines={8} />
        </div>
      )}
      {!isOver &&
        preview.data !== undefined &&
        props.form({
          formId,
          preview: preview.data,
          onPending: setPending,
          onLookAgain,
          onVersion: setVersion,
          onRequested: setRequestedId,
        })}
    </Dialog>
  );
}
