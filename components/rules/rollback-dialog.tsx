"use client";

import { useId, useState, useTransition } from "react";
import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { SkeletonText } from "@/components/ui/skeleton";
import { useJson } from "@/components/ui/use-json";
import { UserText } from "@/components/ui/user-text";
import { RuleDetailSchema, type RuleRevision } from "@/lib/core/api/rules";
import { VersionDiffSchema } from "@/lib/core/api/versions";
import { FieldDiffs } from "./field-diffs";
import { modeNames } from "./mode-badge";
import { PublishedVersion } from "./published-version";
import type { RuleActions, RuleSubject } from "./rule-actions-data";

type RollbackDialogProps = {
  rule: Pick<RuleSubject, "id" | "name">;
  /** Which revision to offer first; without it the one before the live one. */
  revision?: number;
  actions: RuleActions;
  onClose: () => void;
};

/** Makes an earlier revision of one rule live again, after showing what that changes. */
export function RollbackDialog({ rule, revision, actions, onClose }: RollbackDialogProps) {
  const formId = useId();
  const { version, environment, fleet } = useOverview();
  const [seenVersion] = useState(version);
  const detail = useJson(`/api/v1/rules/${encodeURIComponent(rule.id)}`, RuleDetailSchema);
  const [chosen, setChosen] = useState(revision);
  const [reason, setReason] = useState("Roll back while we look");
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<number>();
  const [pending, startTransition] = useTransition();

  const earlier = (detail.data?.revisions ?? []).filter((each) => !each.live && each.wasLive);
  const target = earlier.find((each) => each.revision === chosen) ?? earlier[0];

  function submit() {
    if (pending || target === undefined) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(actions.rollbackRule, {
        id: rule.id,
        revision: target.revision,
        ...(reason.trim() === "" ? {} : { reason }),
        expectVersion: seenVersion,
      });
      if (result.ok) setDone(result.data.version);
      else setError(result.message);
    });
  }

  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && !pending && onClose()}
      title={
        <>
          Roll back <UserText>{rule.name}</UserText>
        </>
      }
      description={done === undefined ? "Only this rule. It needs no approval." : undefined}
      footer={
        done !== undefined ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <DialogFormActions
            formId={formId}
            disabled={target === undefined}
            pending={pending}
            pendingLabel="Rolling back…"
            className="max-w-full whitespace-normal py-1 h-auto min-h-8"
            onCancel={onClose}
          >
            {target
              ? `Roll back to revision ${target.revision} in ${environment} on ${formatPlural(fleet.live, "gateway")}`
              : "Roll back"}
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
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <FormError>{detail.error}</FormError>
          {!detail.data && !detail.error && <SkeletonText lines={5} />}
          {detail.data && target === undefined && (
            <p>
              There is nothing to go back to: revision {detail.data.revision} is the first. Set the
              rule to shadow, or turn it off.
            </p>
          )}
          {target && (
            <>
              <Field label="Back to">
                <Select
                  value={String(target.revision)}
                  onValueChange={(value) => setChosen(Number(value))}
                  options={earlier.map((each) => ({
                    value: String(each.revision),
                    label: revisionWords(each),
                    hint: each.change,
                  }))}
                />
              </Field>
              <RollbackDiff ruleId={rule.id} from={detail.data?.version} to={target.version} />
              <p className="text-sm text-muted">
                Will be v{version + 1}. Counters go on unless it counts by something else.
              </p>
              <Field label="Reason" optional hint="Goes to the audit log.">
                <Input value={reason} maxLength={500} onValueChange={setReason} />
              </Field>
            </>
          )}
          <FormError>{error}</FormError>
        </form>
      )}
    </Dialog>
  );
}

function revisionWords({ revision, version, mode, sentence }: RuleRevision): string {
  return `Revision ${revision} (v${version}, ${modeNames[mode]}): ${sentence}`;
}

type RollbackDiffProps = { ruleId: string; from: number | undefined; to: number };

/** What becomes different from what is live now. */
function RollbackDiff({ ruleId, from, to }: RollbackDiffProps) {
  const diff = useJson(
    from === undefined ? null : `/api/v1/versions/${from}/diff/${to}`,
    VersionDiffSchema,
  );
  if (diff.error) return <FormError>{diff.error}</FormError>;
  if (!diff.data) return <SkeletonText lines={3} />;
  const change = diff.data.objects.find(({ kind, id }) => kind === "rule" && id === ruleId);
  if (change === undefined)
    return <p className="text-sm text-muted">It is what is live already: nothing would change.</p>;
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-sm font-medium">What changes</p>
      <FieldDiffs label="Live now and after the roll back" diffs={change.diff} />
      {change.countersRestart && (
        <p className="text-sm font-semibold text-danger">
          It counts differently, so its counters start at full.
        </p>
      )}
    </div>
  );
}
