"use client";

import { useId, useState, useTransition } from "react";
import { requestedOf } from "@/components/approval/approval-actions";
import { RequestedBanner } from "@/components/approval/requested-banner";
import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import { SkeletonText } from "@/components/ui/skeleton";
import { useJson } from "@/components/ui/use-json";
import { UserText } from "@/components/ui/user-text";
import { EvidenceProblemSchema, RadiusProblemSchema } from "@/lib/core/api/publish";
import { ReportSchema } from "@/lib/core/api/report";
import { BlastRadius } from "./blast-radius";
import { EvidenceSummary } from "./evidence-summary";
import { PublishedVersion } from "./published-version";
import type { RuleActions, RuleSubject } from "./rule-actions-data";

type EnforceDialogProps = { rule: RuleSubject; actions: RuleActions; onClose: () => void };

const EvidenceDetails = EvidenceProblemSchema.pick({ reason: true, evidence: true });
const RadiusDetails = RadiusProblemSchema.pick({ reason: true, radius: true });

/** Shadow to enforce: who will be hit, on what evidence, and the way back, before one button. */
export function EnforceDialog({ rule, actions, onClose }: EnforceDialogProps) {
  const formId = useId();
  const { version, environment, fleet } = useOverview();
  const report = useJson(
    `/api/v1/rules/${encodeURIComponent(rule.id)}/report?mode=shadow`,
    ReportSchema,
  );
  const [seenVersion] = useState(version);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [refusedFor, setRefusedFor] = useState<readonly string[]>();
  const [wide, setWide] = useState<readonly string[]>([]);
  const [isAsked, setAsked] = useState(false);
  const [requestedId, setRequestedId] = useState<string | null>(null);
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<number>();
  const [pending, startTransition] = useTransition();

  const gaps = refusedFor ?? report.data?.coverage.why ?? [];
  const isLoading = report.data === undefined && report.error === undefined;
  const isThin = refusedFor !== undefined || report.data?.coverage.enough !== true;
  const isReasonMissing = reason.trim() === "";
  const isTyping = isThin || wide.length > 0;
  const isUnconfirmed = isTyping && typed.trim() !== rule.id;

  function submit() {
    if (pending || isLoading) return;
    setAsked(true);
    if (isReasonMissing || isUnconfirmed) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(actions.setMode, {
        id: rule.id,
        mode: "enforce",
        reason,
        expectVersion: seenVersion,
        ...(isThin ? { acknowledgeGaps: true } : {}),
        ...(wide.length > 0 ? { acknowledgeRadius: true } : {}),
      });
      if (result.ok) {
        setDone(result.data.version);
        return;
      }
      const requested = requestedOf(result);
      setRequestedId(requested);
      const evidence = EvidenceDetails.safeParse(result.details);
      const radius = RadiusDetails.safeParse(result.details);
      if (requested !== null) setError(undefined);
      else if (radius.success) {
        setAsked(false);
        setTyped("");
        setWide(radius.data.radius.flatMap(({ above }) => above));
      } else if (evidence.success) {
        setAsked(false);
        setRefusedFor(evidence.data.evidence.flatMap(({ why }) => why));
      } else setError(result.errors?.[0]?.message ?? result.message);
    });
  }

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
        done !== undefined || requestedId !== null ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <DialogFormActions
            formId={formId}
            disabled={isLoading}
            pending={pending}
            pendingLabel="Enforcing…"
            className="max-w-full whitespace-normal py-1 h-auto min-h-8"
            onCancel={onClose}
          >
            Enforce as v{version + 1} in {environment} on {formatPlural(fleet.live, "gateway")}
          </DialogFormActions>
        )
      }
    >
      {done !== undefined ? (
        <PublishedVersion
          version={done}
          previous={done - 1}
          rollbackVersion={actions.rollbackVersion}
        />
      ) : requestedId !== null ? (
        <RequestedBanner id={requestedId} />
      ) : (
        <form
          id={formId}
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {report.error && (
            <Banner tone="danger" title="The shadow report could not be read">
              {report.error}. Enforcing now would be blind.
            </Banner>
          )}
          {isLoading && (
            <div className="min-h-72">
              <SkeletonText lines={8} />
            </div>
          )}
          {report.data && (
            <>
              <EvidenceSummary report={report.data} gaps={gaps} isThin={isThin} />
              <BlastRadius report={report.data} />
            </>
          )}
          <p className="text-sm text-muted">
            The way back: Undo here, or Roll back at the rule, makes v{version + 2} with the content
            of v{version} ({rule.mode}, revision {rule.revision}). Counters go on.
            {fleet.silent > 0 &&
              ` ${formatPlural(fleet.silent, "gateway")} silent: not known to follow.`}
          </p>
          <Field
            label="Reason"
            hint="Goes to the audit log."
            error={isAsked && isReasonMissing ? "Say in a line why." : undefined}
          >
            <Input
              value={reason}
              maxLength={500}
              autoComplete="off"
              placeholder="Such as: report reviewed, only the runaway script is hit"
              onValueChange={setReason}
            />
          </Field>
          {wide.length > 0 && (
            <Banner tone="warning" title="This would hit many">
              It would refuse {wide.join(" and ")}.
            </Banner>
          )}
          {isTyping && !isLoading && (
            <Field
              label={
                <>
                  {isThin && "The evidence is thin. "}Type{" "}
                  <strong className="font-mono">{rule.id}</strong> to enforce all the same
                </>
              }
              hint="What you confirm is kept in the audit log."
              error={
                isAsked && isUnconfirmed
                  ? isThin
                    ? `Type ${rule.id}, or wait until the evidence is enough.`
                    : `Type ${rule.id} to confirm whom it hits.`
                  : undefined
              }
            >
              <Input code autoComplete="off" value={typed} onValueChange={setTyped} />
            </Field>
          )}
          <FormError>{error}</FormError>
        </form>
      )}
    </Dialog>
  );
}
