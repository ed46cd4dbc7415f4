"use client";

import { useState } from "react";
import { FieldGroup } from "@/components/ui/field";
import type { Guardrail } from "@/lib/core/guardrail";
import { GuardrailBounds, GuardrailChoice } from "./guardrail-fields";
import type { GuardrailForm } from "./guardrail-input";
import { guardrailSentence } from "./guardrail-sentence";

type GuardrailSectionProps = {
  form: GuardrailForm;
  /** As parsed; undefined while a field is wrong. */
  guardrail: Guardrail | null | undefined;
  protectedPlans: readonly string[];
  predicted: { requests: number; rejections: number } | null;
};

/** In a dialog that enforces: what watches the change, in a sentence, and its bounds behind one line. */
export function GuardrailSection(props: GuardrailSectionProps) {
  const { form, guardrail, protectedPlans, predicted } = props;
  const isWrong = guardrail === undefined;
  const [isOpen, setOpen] = useState(false);
  return (
    <FieldGroup legend="Guardrail" className="@container gap-2 rounded-lg border p-3">
      <GuardrailChoice form={form} />
      <p className="text-sm" aria-live="polite">
        {isWrong
          ? "A bound is not a number that is allowed."
          : guardrailSentence(guardrail, { protectedPlans, predicted })}
      </p>
      {form.value !== null && (
        <details open={isOpen || isWrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="w-fit cursor-default rounded-md text-sm font-medium text-muted hover:text-text">
            Bounds
          </summary>
          <div className="pt-3">
            <GuardrailBounds form={form} protectedPlans={protectedPlans} />
          </div>
        </details>
      )}
    </FieldGroup>
  );
}
