"use client";

import { useRouter } from "next/navigation";
import { useId, useState, useTransition } from "react";
import { PublishedVersion, type RollbackVersion } from "@/components/rules/published-version";
import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";
import { SkeletonText } from "@/components/ui/skeleton";
import { useJson } from "@/components/ui/use-json";
import { VersionDiffSchema } from "@/lib/core/api/versions";
import { ClientEffect } from "./client-effect";
import { EffectList } from "./effect-list";
import { ObjectChanges } from "./object-changes";
import { RestoreOverrides } from "./restore-overrides";

type RollbackVersionDialogProps = {
  /** Whose content shall be live again. */
  target: number;
  rollbackVersion: RollbackVersion;
  onClose: () => void;
};

/** Shows what going back would change against what is live, does it, and follows it through the fleet. */
export function RollbackVersionDialog(props: RollbackVersionDialogProps) {
  const { target, rollbackVersion, onClose } = props;
  const router = useRouter();
  const formId = useId();
  const { version, environment, fleet } = useOverview();
  // What was looked at; a publish meanwhile is a conflict, not a surprise.
  const [current, setCurrent] = useState(version);
  const diff = useJson(`/api/v1/versions/${current}/diff/${target}`, VersionDiffSchema);
  const [reason, setReason] = useState("");
  const [isWithOverrides, setWithOverrides] = useState(false);
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<number>();
  const [pending, startTransition] = useTransition();
  const isStale = done === undefined && version !== current;
  const objects = diff.data?.objects;

  function submit() {
    if (pending || objects === undefined) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(rollbackVersion, {
        number: target,
        ...(reason.trim() === "" ? {} : { reason }),
        expectVersion: current,
        ...(isWithOverrides ? { restoreOverrides: true } : {}),
      });
      if (result.ok) setDone(result.data.version);
      else setError(result.message);
    });
  }

  function close() {
    if (pending) return;
    router.refresh();
    onClose();
  }

  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && close()}
      title={done === undefined ? `Roll back to version ${target}` : `Rolled back: v${done}`}
      description={
        done === undefined
          ? `Will become v${current + 1} = content of v${target}: rules, plans, routes, lists and settings. Keys and customers stay. It needs no approval.`
          : `v${done} has the content of v${target}.`
      }
      footer={
        done !== undefined ? (
          <Button onClick={close}>Close</Button>
        ) : (
          <DialogFormActions
            formId={formId}
            disabled={objects === undefined || objects.length === 0 || isStale}
            pending={pending}
            pendingLabel="Rolling back…"
            className="h-auto min-h-8 max-w-full whitespace-normal py-1"
            onCancel={close}
          >
            Roll back to v{target} in {environment} on {formatPlural(fleet.live, "gateway")}
          </DialogFormActions>
        )
      }
    >
      {done !== undefined ? (
        <PublishedVersion version={done} previous={current} rollbackVersion={rollbackVersion} />
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {isStale && (
            <FormError>
              Meanwhile v{version} was published. What is shown is against v{current}.{" "}
              <button
                type="button"
                className="font-medium underline"
                onClick={() => {
                  setCurrent(version);
                  setError(undefined);
                }}
              >
                Show it against v{version}
              </button>
            </FormError>
          )}
          <FormError>{diff.error}</FormError>
          {objects === undefined && !diff.error && <SkeletonText lines={5} />}
          {objects !== undefined && objects.length > 0 && <EffectList objects={objects} />}
          {diff.data !== undefined && <ClientEffect effect={diff.data.effect} />}
          {objects !== undefined && (
            <section aria-label={`From v${current}, live now, to v${target}`}>
              <h3 className="mb-1.5 text-sm font-medium">
                From v{current}, live now, to v{target}
              </h3>
              <div className="overflow-hidden rounded-lg border bg-surface">
                <ObjectChanges
                  objects={objects}
                  empty={`v${current}, which is live, has the same content already.`}
                />
              </div>
            </section>
          )}
          <RestoreOverrides target={target} isOn={isWithOverrides} onChange={setWithOverrides} />
          <Field label="Reason" optional hint="Goes to the audit log and the version's message.">
            <Input value={reason} maxLength={500} onValueChange={setReason} />
          </Field>
          <FormError>{error}</FormError>
        </form>
      )}
    </Dialog>
  );
}
