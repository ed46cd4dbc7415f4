"use client";

import { useSettingsForm } from "@/components/settings/settings-form";
import { FieldGroup } from "@/components/ui/field";
import { GuardrailBounds, GuardrailChoice } from "./guardrail-fields";

/** What every change that enforces or tightens a rule is watched by, unless it says otherwise. */
export function GuardrailSettings({ protectedPlans }: { protectedPlans: readonly string[] }) {
  const settings = useSettingsForm();
  const form = {
    value: settings.at(["guardrail"]),
    set: (value: unknown) => settings.set(["guardrail"], value),
    errorAt: (key: string) => settings.errorAt(["guardrail", key]),
  };
  return (
    <FieldGroup
      className="@container"
      legend="What watches a change once it is enforced"
      hint="The default of each change that enforces or tightens a rule; whoever makes it may set other bounds."
    >
      <GuardrailChoice form={form} />
      <GuardrailBounds form={form} protectedPlans={protectedPlans} />
    </FieldGroup>
  );
}
