"use client";

import { type ReactNode, useEffect, useRef, useState, useTransition } from "react";
import { requestedOf } from "@/components/approval/approval-actions";
import { parseGuardrail } from "@/components/guardrail/guardrail-input";
import { GuardrailSection } from "@/components/guardrail/guardrail-section";
import { BlastRadius } from "@/components/rules/blast-radius";
import { EvidenceSummary } from "@/components/rules/evidence-summary";
import { TypedRule } from "@/components/rules/typed-rule";
import type { ActionResult } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { FormError } from "@/components/ui/field";
import { ReasonField } from "@/components/ui/reason-field";
import type { CandidatePreview } from "@/lib/core/api/candidate";
import type { Acknowledged } from "./candidate-actions-data";

type CandidateFormProps<Data> = {
  formId: string;
  preview: CandidatePreview;
  /** Why evidence is asked for; null: nothing becomes stricter, so nothing is. */
  because: string | null;
  /** What is chosen, above all that is known of it. */
  children?: ReactNode;
  /** Said below what is known: the way back. */
  note: ReactNode;
  /** Why what is chosen cannot be sent; none: it can. */
  problem?: string | undefined;
  send: (said: Acknowledged & { expectVersion: number }) => Promise<ActionResult<Data>>;
  onPending: (pending: boolean) => void;
  onLookAgain: () => void;
  onDone: (data: Data) => void;
  onRequested: (changeRequest: string) => void;
};

/** A change of a candidate: what is known, what watches it, and a person's word for it. */
export function CandidateForm<Data>(props: CandidateFormProps<Data>) {
  const { formId, preview, because, children, note, problem, send, onPending } = props;
  const form = useRef<HTMLFormElement>(null);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [wanted, setWanted] = useState<unknown>(preview.guardrail);
  const [asked, setAsked] = useState(0);
  const [failure, setFailure] = useState<{ message: string; isOutdated: boolean }>();
  const [pending, startTransition] = useTransition();

  const { above } = preview.radius;
  const isThin = because !== null && !preview.evidence.enough;
  const isWide = because !== null && above.length > 0;
  const isTyping = isThin || isWide;
  const isReasonMissing = reason.trim() === "";
  const isUnconfirmed = isTyping && typed.trim() !== preview.rule;
  const { guardrail, errorAt } = parseGuardrail(wanted);

  useEffect(() => {
    if (asked > 0)
      form.current
        ?.querySelector<HTMLElement>("[aria-invalid=true], [data-invalid] input")
        ?.focus();
  }, [asked]);

  function submit() {
    if (pending) return;
    setAsked(asked + 1);
    if (problem !== undefined || isReasonMissing || isUnconfirmed) return;
    if (because !== null && guardrail === undefined) return;
    setFailure(undefined);
    onPending(true);
    startTransition(async () => {
      const result = await send({
        reason,
        expectVersion: preview.version,
        ...(because === null || guardrail === undefined ? {} : { guardrail }),
        ...(isThin ? { acknowledgeGaps: true } : {}),
        ...(isWide ? { acknowledgeRadius: true } : {}),
      });
      onPending(false);
      if (result.ok) {
        props.onDone(result.data);
        return;
      }
      const requestedId = requestedOf(result);
      if (requestedId !== null) props.onRequested(requestedId);
      else
        setFailure({
          message: result.errors?.[0]?.message ?? result.message,
          isOutdated: typeof result.details?.reason === "string",
        });
    });
  }

  return (
    <form
      ref={form}
      id={formId}
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
      {because === null ? null : (
        <>
          <EvidenceSummary preview={preview} page="candidate" />
          <BlastRadius preview={preview} />
          {isWide && (
            <Banner tone="warning" title="This would hit many">
              For everybody it would refuse {above.join(" and ")}.
            </Banner>
          )}
          <GuardrailSection
            form={{ value: wanted, set: setWanted, errorAt }}
            guardrail={guardrail}
            protectedPlans={preview.protectedPlans}
            predicted={preview.predicted}
          />
        </>
      )}
      <p className="text-sm text-muted">{note}</p>
      <ReasonField value={reason} onValueChange={setReason} isAsked={asked > 0} />
      {isTyping && (
        <TypedRule
          rule={preview.rule}
          todo="go on"
          isThin={isThin}
          value={typed}
          onValueChange={setTyped}
          isMissing={asked > 0 && isUnconfirmed}
        />
      )}
      <FormError>{failure?.message ?? (asked > 0 ? problem : undefined)}</FormError>
      {failure?.isOutdated && (
        <Button className="self-start" onClick={props.onLookAgain}>
          Look again
        </Button>
      )}
    </form>
  );
}
