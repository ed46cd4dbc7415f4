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
import { UserText } from "@/components/ui/user-text";
import { ModeBadge } from "./mode-badge";
import { PublishedVersion } from "./published-version";
import type { RuleActions, RuleSubject } from "./rule-actions-data";

type ModeDialogProps = {
  rule: RuleSubject;
  mode: "shadow" | "off";
  actions: RuleActions;
  onClose: () => void;
};

const words = {
  shadow: {
    title: "To shadow",
    confirm: "Set to shadow",
    pending: "Setting to shadow…",
    reason: "Stop refusing while we look",
    effect: {
      enforce: "It stops refusing at once, and goes on counting what it would have refused.",
      shadow: "",
      off: "It counts and logs what it would refuse. No answer changes.",
    },
  },
  off: {
    title: "Turn off",
    confirm: "Turn off",
    pending: "Turning off…",
    reason: "Not needed now",
    effect: {
      enforce: "It stops refusing at once, and counts nothing while it is off.",
      shadow: "It counts nothing while it is off, so its report has a gap.",
      off: "",
    },
  },
} as const;

/** The quick way out of refusing: one button, a reason already written. */
export function ModeDialog({ rule, mode, actions, onClose }: ModeDialogProps) {
  const formId = useId();
  const { version, environment, fleet } = useOverview();
  // What was looked at: a publish meanwhile is told, and the next press goes on with what is live then.
  const [seenVersion, setSeenVersion] = useState(version);
  const [reason, setReason] = useState<string>(words[mode].reason);
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<{ version: number; previous: number }>();
  const [pending, startTransition] = useTransition();
  const text = words[mode];

  function submit() {
    if (pending) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(actions.setMode, {
        id: rule.id,
        mode,
        reason,
        expectVersion: seenVersion,
      });
      if (result.ok) setDone({ version: result.data.version, previous: result.data.version - 1 });
      else {
        setError(result.errors?.[0]?.message ?? result.message);
        const current = result.details?.current;
        setSeenVersion(typeof current === "number" ? current : version);
      }
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title={
        <>
          {text.title}: <UserText>{rule.name}</UserText>
        </>
      }
      description={done ? undefined : text.effect[rule.mode]}
      footer={
        done ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <DialogFormActions
            formId={formId}
            pending={pending}
            pendingLabel={text.pending}
            onCancel={onClose}
          >
            {text.confirm} in {environment} on {formatPlural(fleet.live, "gateway")}
          </DialogFormActions>
        )
      }
    >
      {done ? (
        <PublishedVersion {...done} rollbackVersion={actions.rollbackVersion} />
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <p className="flex flex-wrap items-center gap-2 text-sm">
            <ModeBadge mode={rule.mode} /> <span className="text-muted">becomes</span>{" "}
            <ModeBadge mode={mode} />
            <span className="text-muted">as v{seenVersion + 1}, counters go on</span>
          </p>
          <Field label="Reason" hint="Goes to the audit log.">
            <Input value={reason} maxLength={500} onValueChange={setReason} />
          </Field>
          <FormError>{error}</FormError>
        </form>
      )}
    </Dialog>
  );
}
