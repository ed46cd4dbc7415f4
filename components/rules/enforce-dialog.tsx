"use client";

import { useId, useState } from "react";
import { RequestedBanner } from "@/components/approval/requested-banner";
import { useOverview } from "@/components/shell/live-overview";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { formatPlural } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { SkeletonText } from "@/components/ui/skeleton";
import { useJson } from "@/components/ui/use-json";
import { UserText } from "@/components/ui/user-text";
import { EnforcePreviewSchema } from "@/lib/core/api/enforce-preview";
import { EnforceForm, type EnforceOutcome } from "./enforce-form";
import { PublishedVersion } from "./published-version";
import type { RuleActions, RuleSubject } from "./rule-actions-data";

type EnforceDialogProps = { rule: RuleSubject; actions: RuleActions; onClose: () => void };

/** Shadow to enforce: who will be hit, on what evidence, and the way back, before one button. */
export function EnforceDialog({ rule, actions, onClose }: EnforceDialogProps) {
  const formId = useId();
  const { version, environment, fleet } = useOverview();
  const [looks, setLooks] = useState(1);
  const path = `/rules/${encodeURIComponent(rule.id)}`;
  // What follows # is not sent: another look is another address.
  const preview = useJson(`/api/v1${path}/enforce-preview#${looks}`, EnforcePreviewSchema);
  const [reason, setReason] = useState("");
  const [pending, setPending] = useState(false);
  const [outcome, setOutcome] = useState<EnforceOutcome>();
  const seen = preview.data?.version ?? version;

  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && !pending && onClose()}
      title={
        <>
          Enforce <UserText>{rule.name}</UserText>
        </>
      }
      description={<UserText>{rule.sentence}</UserText>}
      footer={
        outcome === undefined ? (
          <DialogFormActions
            formId={formId}
            disabled={preview.data === undefined}
            pending={pending}
            pendingLabel="Enforcing…"
            className="max-w-full whitespace-normal py-1 h-auto min-h-8"
            onCancel={onClose}
          >
            Enforce as v{seen + 1} in {environment} on {formatPlural(fleet.live, "gateway")}
          </DialogFormActions>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )
      }
    >
      {outcome !== undefined && "requestedId" in outcome && (
        <RequestedBanner id={outcome.requestedId} />
      )}
      {outcome !== undefined && "version" in outcome && (
        <div className="flex flex-col gap-3">
          <PublishedVersion
            version={outcome.version}
            previous={outcome.version - 1}
            rollbackVersion={actions.rollbackVersion}
          />
          <p className="text-sm text-muted">
            {outcome.guardrail}{" "}
            <TextLink href={path} onClick={onClose}>
              How it fares, on the rule's page
            </TextLink>
          </p>
        </div>
      )}
      {outcome === undefined && preview.error !== undefined && (
        <Banner
          tone="danger"
          title="Nobody can say now whom this would hit"
          actions={
            <Button size="sm" onClick={() => setLooks(looks + 1)}>
              Look again
            </Button>
          }
        >
          {preview.error}
        </Banner>
      )}
      {outcome === undefined && preview.data === undefined && preview.error === undefined && (
        <div className="min-h-96">
          <SkeletonText lines={8} />
        </div>
      )}
      {outcome === undefined && preview.data !== undefined && (
        <EnforceForm
          formId={formId}
          rule={rule}
          preview={preview.data}
          reason={reason}
          onReason={setReason}
          setMode={actions.setMode}
          onPending={setPending}
          onLookAgain={() => setLooks(looks + 1)}
          onDone={setOutcome}
        />
      )}
    </Dialog>
  );
}
