"use client";

import { FlaskConical } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId, useState, useTransition } from "react";
import { requestedOf } from "@/components/approval/approval-actions";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { FormError } from "@/components/ui/field";
import { ReasonField } from "@/components/ui/reason-field";
import type { TryCandidate } from "./candidate-actions-data";

type TryInShadowProps = {
  ruleId: string;
  /** The version that the form was read from. */
  seenVersion: number;
  /** What is in the form; null while it is not valid, and then everything wrong is shown. */
  rule: () => Record<string, unknown> | null;
  tryCandidate: TryCandidate;
  /** The share that another candidate has, in words; null when nobody gets one enforced. */
  sharedNow: string | null;
};

/** On the edit form of an enforced rule: what is live goes on, and what is in the form counts beside it. */
export function TryInShadow(props: TryInShadowProps) {
  const { ruleId, seenVersion, rule, tryCandidate, sharedNow } = props;
  const formId = useId();
  const router = useRouter();
  const [tried, setTried] = useState<Record<string, unknown> | null>(null);
  const [reason, setReason] = useState("");
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();

  function submit() {
    if (pending) return;
    setAsked(true);
    if (reason.trim() === "" || tried === null) return;
    setError(undefined);
    startTransition(async () => {
      const result = await callAction(tryCandidate, {
        id: ruleId,
        rule: tried,
        share: 0,
        reason,
        expectVersion: seenVersion,
      });
      if (result.ok) router.push(`/rules/${encodeURIComponent(ruleId)}/candidate`);
      else if (requestedOf(result) !== null) router.push("/approvals");
      else {
        setError(result.errors?.[0]?.message ?? result.message);
        // Where another version is live by now, the next press is about that one.
        router.refresh();
      }
    });
  }

  return (
    <>
      <PermittedButton
        needs="publish"
        className="max-sm:flex-1"
        onClick={() => {
          setError(undefined);
          setAsked(false);
          setTried(rule());
        }}
      >
        <FlaskConical aria-hidden /> Try in shadow…
      </PermittedButton>
      <Dialog
        open={tried !== null}
        onOpenChange={(open) => !open && !pending && setTried(null)}
        title="Try it in shadow"
        description="A version of its own, at once: what is live goes on and answers as before, and this counts beside it as if it stood in its place."
        footer={
          <DialogFormActions
            formId={formId}
            pending={pending}
            pendingLabel="Trying…"
            onCancel={() => setTried(null)}
          >
            Try as v{seenVersion + 1}
          </DialogFormActions>
        }
      >
        <form
          id={formId}
          noValidate
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            // A portal's events reach the editor's form, too.
            event.stopPropagation();
            submit();
          }}
        >
          {sharedNow !== null && (
            <p className="text-sm text-muted">
              It takes the place of the candidate that is enforced for {sharedNow} now: they get the
              live revision again, and this one begins in shadow.
            </p>
          )}
          <ReasonField value={reason} onValueChange={setReason} isAsked={isAsked} />
          <FormError>{error}</FormError>
        </form>
      </Dialog>
    </>
  );
}
