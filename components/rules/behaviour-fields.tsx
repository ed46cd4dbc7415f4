"use client";

import { useId } from "react";
import { Field, FieldGroup } from "@/components/ui/field";
import { NumberInput } from "@/components/ui/number-input";
import { RadioGroup } from "@/components/ui/radio-group";
import { Select } from "@/components/ui/select";
import { MODES } from "@/lib/core/rule";
import { ModeIcon, modeNames } from "./mode-badge";
import { useRuleForm } from "./rule-form";
import { numberAt, textAt } from "./rule-input";

const MODE_HINTS = {
  off: "Kept, and does nothing.",
  shadow: "Counts and logs what it would refuse. Changes no answer.",
  enforce: "Refuses with 429. Publishing asks for evidence from shadow.",
} as const;

const FAIL_MODES = [
  { value: "local", label: "Go on locally", hint: "Each gateway keeps its share of the limit." },
  { value: "open", label: "Let pass", hint: "Nothing is limited meanwhile." },
  { value: "closed", label: "Refuse", hint: "Every request of this rule gets 503." },
] as const;

const PRIORITIES = [
  { value: "critical", label: "Critical" },
  { value: "normal", label: "Normal" },
  { value: "sheddable", label: "Sheddable" },
  { value: "test", label: "Test traffic" },
] as const;

/** Mode, cost, and what happens when Redis is away. */
export function BehaviourFields() {
  const form = useRuleForm();
  const modeId = useId();
  const mode = MODES.find((each) => each === textAt(form.input, ["mode"]));
  const failMode = FAIL_MODES.find(({ value }) => value === textAt(form.input, ["failMode"]));
  const priority = PRIORITIES.find(({ value }) => value === textAt(form.input, ["priority"]));
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
            hint: MODE_HINTS[value],
            icon: <ModeIcon mode={value} />,
          }))}
          value={mode ?? null}
          onValueChange={(value) => form.set(["mode"], value)}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          label="Cost of a request"
          hint="Tokens that each takes."
          error={form.errorAt(["cost"])}
        >
          <NumberInput
            min={0}
            max={1_000_000}
            value={numberAt(form.input, ["cost"])}
            onValueChange={(cost) => form.set(["cost"], cost)}
          />
        </Field>
        <Field label="When Redis is away" hint={failMode?.hint} error={form.errorAt(["failMode"])}>
          <Select
            options={FAIL_MODES}
            value={failMode?.value ?? null}
            onValueChange={(value) => form.set(["failMode"], value)}
          />
        </Field>
        <Field
          label="Priority"
          hint="What a shedder drops last or first."
          error={form.errorAt(["priority"])}
        >
          <Select
            options={PRIORITIES}
            value={priority?.value ?? null}
            onValueChange={(value) => form.set(["priority"], value)}
          />
        </Field>
      </div>
    </FieldGroup>
  );
}
