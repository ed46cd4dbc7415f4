"use client";

import { useId } from "react";
import { Field, FieldGroup, FormError } from "@/components/ui/field";
import { RadioGroup } from "@/components/ui/radio-group";
import { Select } from "@/components/ui/select";
import { Switch } from "@/components/ui/switch";
import { MODES } from "@/lib/core/rule";
import { CostFields } from "./cost-fields";
import { isRateWay, isShedderWay, wayOf } from "./limit-ways";
import { ModeIcon, modeNames } from "./mode-badge";
import { valueAt } from "./object-path";
import { useRuleForm } from "./rule-form";
import { textAt } from "./rule-input";

const MODE_HINTS = {
  off: "Kept, and does nothing.",
  shadow: "Counts and logs what it would refuse. Changes no answer.",
  enforce: "Refuses with 429. Publishing asks for evidence from shadow.",
} as const;

const SHED_HINT = "Refuses with 503. Publishing asks for evidence from shadow.";

const FAIL_MODES = [
  { value: "local", label: "Go on locally", hint: "Each gateway keeps its share of the limit." },
  { value: "open", label: "Let pass", hint: "Nothing is limited meanwhile." },
  { value: "closed", label: "Refuse", hint: "Every request of this rule gets 503." },
] as const;

const PRECISION_CHOICES = [
  { value: "exact", label: "Exact", hint: "Every request asks Redis." },
  {
    value: "leased",
    label: "Leased",
    hint: "Busy gateways spend tokens taken in advance: fewer calls, never more than the limit. Only with bursts.",
  },
  {
    value: "approximate",
    label: "Approximate",
    hint: "Gateways count alone and sync each second: a little more may pass.",
  },
] as const;

const PRIORITY_CHOICES = [
  { value: "critical", label: "Critical" },
  { value: "normal", label: "Normal" },
  { value: "sheddable", label: "Sheddable" },
  { value: "test", label: "Test traffic" },
] as const;

/** Mode, cost, precision, and what happens when Redis is away; of a shedder, whom it sheds. */
export function BehaviourFields() {
  const form = useRuleForm();
  const modeId = useId();
  const mode = MODES.find((each) => each === textAt(form.input, ["mode"]));
  const failMode = FAIL_MODES.find(({ value }) => value === textAt(form.input, ["failMode"]));
  const priority = PRIORITY_CHOICES.find(({ value }) => value === textAt(form.input, ["priority"]));
  // Left out is exact.
  const precisionText = textAt(form.input, ["precision"]) || "exact";
  const precision = PRECISION_CHOICES.find(({ value }) => value === precisionText);
  const isWarning = valueAt(form.input, ["warn"]) === true;
  const way = wayOf(form.input);
  const isShedder = isShedderWay(way);
  const isRate = isRateWay(way);
  const hints = isShedder ? { ...MODE_HINTS, enforce: SHED_HINT } : MODE_HINTS;
  return (
    <FieldGroup legend="Behaviour">
      <div>
        <p id={modeId} className="mb-1 text-sm font-medium">
          Mode
        </p>
        <RadioGroup
          aria-labelledby={modeId}
          look="cards"
          className="lg:grid lg:grid-cols-3"
          options={(["shadow", "enforce", "off"] as const).map((value) => ({
            value,
            label: modeNames[value],
            hint: hints[value],
            icon: <ModeIcon mode={value} />,
          }))}
          value={mode ?? null}
          onValueChange={(value) => {
            form.set(["mode"], value);
            // It is of shadow only: the switch that would end it is gone then.
            if (value !== "shadow") form.set(["warn"], undefined);
          }}
        />
      </div>
      {mode === "shadow" && (!isShedder || isWarning) && (
        <div className="flex flex-col gap-1">
          <Switch
            label="Warn clients"
            hint="A header of the answer, X-RateLimit-Warning, tells a client that it would be refused, and for how long. Nothing else changes."
            checked={isWarning}
            onCheckedChange={(checked) => form.set(["warn"], checked ? true : undefined)}
          />
          <FormError>{form.errorAt(["warn"])}</FormError>
        </div>
      )}
      {isRate && <CostFields />}
      <div className="grid gap-4 sm:grid-cols-3">
        {isRate && (
          <Field label="Precision" hint={precision?.hint} error={form.errorAt(["precision"])}>
            <Select
              options={PRECISION_CHOICES.map((choice) => ({
                ...choice,
                disabled: choice.value === "leased" && way !== "token-bucket",
              }))}
              value={precision?.value ?? null}
              onValueChange={(value) => form.set(["precision"], value)}
            />
          </Field>
        )}
        {isShedder ? (
          <Field
            label="Priority of these requests"
            hint="Test is shed first, critical never."
            error={form.errorAt(["priority"])}
          >
            <Select
              options={PRIORITY_CHOICES}
              value={priority?.value ?? null}
              onValueChange={(value) => form.set(["priority"], value)}
            />
          </Field>
        ) : (
          <Field
            label="When Redis is away"
            hint={failMode?.hint}
            error={form.errorAt(["failMode"])}
          >
            <Select
              options={FAIL_MODES}
              value={failMode?.value ?? null}
              onValueChange={(value) => form.set(["failMode"], value)}
            />
          </Field>
        )}
      </div>
    </FieldGroup>
  );
}
