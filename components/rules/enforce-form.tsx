"use client";

import { useEffect, useRef, useState, useTransition } from "react";
import { requestedOf } from "@/components/approval/approval-actions";
import { parseGuardrail } from "@/components/guardrail/guardrail-input";
import { GuardrailSection } from "@/components/guardrail/guardrail-section";
import { guardrailSentence } from "@/components/guardrail/guardrail-sentence";
import { useOverview } from "@/components/shell/live-overview";
import { callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { ReasonField } from "@/components/ui/reason-field";
import type { EnforcePreview } from "@/lib/core/api/enforce-preview";
import { BlastRadius } from "./blast-radius";
import { EvidenceSummary } from "./evidence-summary";
import type { RuleActions, RuleSubject } from "./rule-actions-data";
import { TypedRule } from "./typed-rule";

export type EnforceOutcome = { version: number; guardrail: string } | { requestedId: string };

type EnforceFormProps = {
  formId: string;
  rule: RuleSubject;
  preview: EnforcePreview;
  reason: string;
  onReason: (reason: string) => void;
  setMode: RuleActions["setMode"];
  onPending: (pending: boolean) => void;
  onLookAgain: () => void;
  onDone: (outcome: EnforceOutcome) => void;
};

/** What is known, what watches the change, the way back, and a person's word for it. */
export function EnforceForm(props: EnforceFormProps) {
  const { formId, rule, preview, reason, onReason, setMode, onPending, onLookAgain, onDone } =
    props;
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState("");
  const [wanted, setWanted] = useState<unknown>(preview.guardrail);
  const [asked, setAsked] = useState(0);
  const [failure, setFailure] = useState<{ message: string; isOutdated: boolean }>();
  const [pending, startTransition] = useTransition();

  const isThin = !preview.evidence.enough;
  const { above } = preview.radius;
  const isTyping = isThin || above.length > 0;
  const isReasonMissing = reason.trim() === "";
  const isUnconfirmed = isTyping && typed.trim() !== rule.id;
  const { guardrail, errorAt } = parseGuardrail(wanted);
  const { protectedPlans, predicted } = preview;

  useEffect(() => {
    if (asked > 0)
      form.current
        ?.querySelector<HTMLElement>("[aria-invalid=true], [data-invalid] input")
        ?.focus();
  }, [asked]);

  function submit() {
    if (pending) return;
    setAsked(asked + 1);
    if (isReasonMissing || isUnconfirmed || guardrail === undefined) return;
    setFailure(undefined);
    onPending(true);
    startTransition(async () => {
      const result = await callAction(setMode, {
        id: rule.id,
        mode: "enforce",
        reason,
        expectVersion: preview.version,
        guardrail,
        ...(isThin ? { acknowledgeGaps: true } : {}),
        ...(above.length > 0 ? { acknowledgeRadius: true } : {}),
      });
      onPending(false);
      if (result.ok) {
        const sentence = guardrailSentence(guardrail, { protectedPlans, predicted });
        onDone({ version: result.data.version, guardrail: sentence });
        return;
      }
      const requestedId = requestedOf(result);
      if (requestedId !== null) onDone({ requestedId });
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
      <EvidenceSummary preview={preview} />
      <BlastRadius preview={preview} />
      {above.length > 0 && (
        <Banner tone="warning" title="This would hit many">
          It would refuse {above.join(" and ")}.
        </Banner>
      )}
      <GuardrailSection
        form={{ value: wanted, set: setWanted, errorAt }}
        guardrail={guardrail}
        protectedPlans={protectedPlans}
        predicted={predicted}
      />
      <WayBack rule={rule} preview={preview} />
      <ReasonField
        value={reason}
        onValueChange={onReason}
        isAsked={asked > 0}
        placeholder="Such as: report reviewed, only the runaway script is hit"
      />
      {isTyping && (
        <TypedRule
          rule={rule.id}
          todo="enforce"
          isThin={isThin}
          value={typed}
          onValueChange={setTyped}
          isMissing={asked > 0 && isUnconfirmed}
        />
      )}
      <FormError>{failure?.message}</FormError>
      {failure?.isOutdated && (
        <Button className="self-start" onClick={onLookAgain}>
          Look again
        </Button>
      )}
    </form>
  );
}

/** What Undo and the guardrail return to, as a sentence. */
function WayBack({ rule, preview }: Pick<EnforceFormProps, "rule" | "preview">) {
  const { fleet } = useOverview();
  const { version, mode, revision } = preview;
  const was =
    mode === "shadow" ? "counting in shadow and refusing nobody" : "off and counting nothing";
  return (
    <p className="text-sm text-muted">
      The way back is v{version}: Undo, or Roll back at the rule, makes v{version + 2} of it, where{" "}
      <span className="font-mono">{rule.id}</span> is revision {revision} again, {was}. Counters go
      on.
      {fleet.silent > 0 && ` ${formatPlural(fleet.silent, "gateway")} silent: not known to follow.`}
    </p>
  );
}
