"use client";

import type { ReactNode } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { Field } from "@/components/ui/field";
import { NumberInput } from "@/components/ui/number-input";
import { RadioGroup } from "@/components/ui/radio-group";
import { type Guardrail, GuardrailSchema } from "@/lib/core/guardrail";
import { actionOf, fieldsOf, type GuardrailAction, type GuardrailForm } from "./guardrail-input";

export const WATCHED_ACTIONS = [
  {
    value: "undo",
    label: "Take the change back by itself",
    hint: "A new version has the rule as it was. Other changes stay.",
  },
  {
    value: "hold",
    label: "Hold, and alert people",
    hint: "The change stays; a share does not grow.",
  },
] as const;

const ACTIONS = [
  ...WATCHED_ACTIONS,
  { value: "none", label: "No guardrail", hint: "Nothing watches: the way back is by hand." },
] as const;

type ChoiceProps = { form: GuardrailForm; label?: string };

/** What is done when a bound is crossed; none is said, not left out. */
export function GuardrailChoice({ form, label = "When a bound is crossed" }: ChoiceProps) {
  const action = actionOf(form.value);
  function choose(next: GuardrailAction) {
    if (next === "none") form.set(null);
    else if (form.value === null) form.set(GuardrailSchema.parse({ action: next }));
    else form.set({ ...fieldsOf(form.value), action: next });
  }
  return (
    <RadioGroup
      aria-label={label}
      className="gap-x-6 @xl:grid @xl:grid-cols-3"
      options={ACTIONS}
      value={action}
      onValueChange={choose}
    />
  );
}

type BoundsProps = { form: GuardrailForm; protectedPlans: readonly string[] };

/** Each bound; an empty share or factor is not watched. */
export function GuardrailBounds({ form, protectedPlans }: BoundsProps) {
  if (form.value === null) return null;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 @sm:grid-cols-2 @xl:grid-cols-3">
        <Bound
          form={form}
          name="maxRejectedShare"
          label="Refused, at most"
          hint="Of what the rule matches. Empty: not watched."
          unit="%"
          scale={100}
          max={100}
          empty="not watched"
        />
        <Bound
          form={form}
          name="timesPredicted"
          label="Times the foretold share"
          hint="Empty: not watched."
          unit="times"
          min={1}
          max={1000}
          empty="not watched"
        />
        <Bound
          form={form}
          name="minRequests"
          label="Both judged from"
          hint="A share of fewer says little."
          unit="requests"
          min={1}
          max={1_000_000_000}
        />
        <Bound
          form={form}
          name="forSeconds"
          label="Crossed without a break for"
          unit="seconds"
          min={1}
          max={3600}
        />
        <Bound
          form={form}
          name="watchSeconds"
          label="Watched for"
          hint="In time with whole data; then it has passed."
          unit="seconds"
          min={1}
          max={86_400}
        />
      </div>
      <ProtectedPlans form={form} protectedPlans={protectedPlans} />
    </div>
  );
}

type BoundProps = {
  form: GuardrailForm;
  name: Exclude<keyof Guardrail, "protectedPlans" | "action">;
  label: string;
  hint?: ReactNode;
  unit: string;
  scale?: number;
  min?: number;
  max: number;
  empty?: string;
};

function Bound({ form, name, label, hint, unit, scale = 1, min = 0, max, empty }: BoundProps) {
  const fields = fieldsOf(form.value);
  const value = fields[name];
  return (
    <Field label={label} hint={hint} error={form.errorAt(name)}>
      <NumberInput
        min={min}
        max={max}
        unit={unit}
        {...(empty === undefined ? {} : { placeholder: empty })}
        value={typeof value === "number" ? Number((value * scale).toPrecision(12)) : null}
        onValueChange={(next) =>
          form.set({
            ...fields,
            [name]: next === null ? null : Number((next / scale).toPrecision(12)),
          })
        }
      />
    </Field>
  );
}

function ProtectedPlans({ form, protectedPlans }: BoundsProps) {
  const fields = fieldsOf(form.value);
  const { protectedPlans: wanted = true } = fields;
  const named = Array.isArray(wanted) ? wanted.map(String) : protectedPlans;
  return (
    <div>
      <Checkbox
        label={
          Array.isArray(wanted)
            ? `Any client on ${named.join(", ")} refused`
            : "Any client on a protected plan refused"
        }
        hint={
          Array.isArray(wanted)
            ? "These plans were named for it, by API or text."
            : named.length === 0
              ? "No plan is marked protected, so this watches nothing yet."
              : `Protected: ${named.join(", ")}.`
        }
        checked={wanted !== false}
        onCheckedChange={(checked) => form.set({ ...fields, protectedPlans: checked })}
      />
      {form.errorAt("protectedPlans") && (
        <p role="alert" className="text-sm text-danger">
          {form.errorAt("protectedPlans")}
        </p>
      )}
    </div>
  );
}
