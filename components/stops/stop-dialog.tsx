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
import { TextLink } from "@/components/ui/link";
import { Select } from "@/components/ui/select";
import { SkeletonText } from "@/components/ui/skeleton";
import { type Loaded, useJson } from "@/components/ui/use-json";
import { UserText } from "@/components/ui/user-text";
import { type RuleList, RuleListSchema } from "@/lib/core/api/rules";
import type { StopEnforcing } from "./stop-actions-data";

type StopDialogProps = {
  /** Without one: everything. */
  rule?: { id: string; name: string };
  stop: StopEnforcing;
  rollbackVersion: RollbackVersion;
  onClose: () => void;
};

const DURATIONS = [
  { value: "15", label: "15 minutes" },
  { value: "60", label: "1 hour" },
  { value: "240", label: "4 hours" },
  { value: "720", label: "12 hours" },
  { value: "1440", label: "1 day" },
  { value: "10080", label: "7 days" },
] as const;
const NAMED_MAX = 8;

/** The way out at night: one press, a reason already written, an end that comes by itself. */
export function StopDialog({ rule, stop, rollbackVersion, onClose }: StopDialogProps) {
  const formId = useId();
  const router = useRouter();
  const { environment, fleet } = useOverview();
  const [reason, setReason] = useState("Stop refusing while we look");
  const [minutes, setMinutes] = useState<(typeof DURATIONS)[number]["value"]>("60");
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<{ version: number; previous: number }>();
  const [pending, startTransition] = useTransition();
  const enforced = useJson(
    rule === undefined ? "/api/v1/rules?mode=enforce&limit=500" : null,
    RuleListSchema,
  );
  const isNothing = enforced.data?.items.length === 0;

  function submit() {
    if (pending) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(stop, {
        rules: rule === undefined ? "all" : [rule.id],
        reason,
        minutes: Number(minutes),
      });
      if (result.ok) setDone({ version: result.data.version, previous: result.data.version - 1 });
      else setError(result.errors?.[0]?.message ?? result.message);
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
      onOpenChange={(open) => !open && close()}
      title={
        <>Stop enforcing {rule === undefined ? "everything" : <UserText>{rule.name}</UserText>}</>
      }
      description={
        done
          ? undefined
          : "To shadow at once: nothing is refused, counting goes on. When the time is over it is enforced again by itself."
      }
      footer={
        done ? (
          <Button onClick={close}>Close</Button>
        ) : (
          <DialogFormActions
            formId={formId}
            variant="danger"
            className="h-auto min-h-8 max-w-full whitespace-normal py-1"
            disabled={isNothing}
            pending={pending}
            pendingLabel="Stopping…"
            onCancel={close}
          >
            Stop enforcing in {environment} on {formatPlural(fleet.live, "gateway")}
          </DialogFormActions>
        )
      }
    >
      {done ? (
        <div className="flex flex-col gap-2">
          <PublishedVersion {...done} rollbackVersion={rollbackVersion} />
          <p className="text-sm text-muted">
            To end it earlier: <TextLink href="/stops">stops</TextLink>.
          </p>
        </div>
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {rule === undefined && <EnforcedRules enforced={enforced} />}
          <Field label="For how long">
            <Select options={DURATIONS} value={minutes} onValueChange={setMinutes} />
          </Field>
          <Field label="Reason" hint="Goes to the audit log, and stands above every page.">
            <Input value={reason} maxLength={500} onValueChange={setReason} />
          </Field>
          <p className="text-sm text-muted">
            Allow, deny and flood lists stay in force. Should the console be down, a file on a
            gateway's machine does the same: docs/break-glass.md.
          </p>
          <FormError>{error}</FormError>
        </form>
      )}
    </Dialog>
  );
}

function EnforcedRules({ enforced }: { enforced: Loaded<RuleList> }) {
  if (enforced.data === undefined)
    return enforced.error === undefined ? (
      <SkeletonText lines={2} />
    ) : (
      <p className="text-sm text-muted">{enforced.error}</p>
    );
  const { items, next } = enforced.data;
  if (items.length === 0) return <p>No rule is enforced now: there is nothing to stop.</p>;
  const more = items.length - NAMED_MAX;
  return (
    <div>
      <p className="font-medium">
        {next === undefined
          ? formatPlural(items.length, "enforced rule")
          : `More than ${items.length} enforced rules`}
      </p>
      <ul className="mt-0.5 text-sm text-muted">
        {items.slice(0, NAMED_MAX).map(({ id, name }) => (
          <li key={id} className="truncate">
            <UserText>{name}</UserText>
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </div>
  );
}
