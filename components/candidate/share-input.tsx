"use client";

import { Button } from "@/components/ui/button";
import { Field, FieldGroup } from "@/components/ui/field";
import { NumberInput } from "@/components/ui/number-input";
import { RadioGroup } from "@/components/ui/radio-group";
import { UserText } from "@/components/ui/user-text";
import { type Share, shareOfPlan } from "@/lib/core/candidate";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";

type ShareInputProps = {
  value: Share;
  onChange: (share: Share) => void;
  plans: readonly { id: string; name: string }[];
};

const STEPS = [0, 1, 10, 50, 100];

/** A percentage of clients, or one for each plan. */
export function ShareInput({ value, onChange, plans }: ShareInputProps) {
  const isPerPlan = typeof value !== "number";
  const all = [...plans, { id: ANONYMOUS_PLAN, name: "without a key" }];
  return (
    <FieldGroup legend="Clients that get it enforced" className="gap-3">
      <RadioGroup
        aria-label="Which clients"
        value={isPerPlan ? "plan" : "all"}
        onValueChange={(way) =>
          onChange(
            way === "all"
              ? Math.max(0, ...Object.values(isPerPlan ? value : {}))
              : Object.fromEntries(all.map(({ id }) => [id, shareOfPlan(value, id)])),
          )
        }
        options={[
          { value: "all", label: "The same share of every plan" },
          { value: "plan", label: "A share for each plan" },
        ]}
      />
      {isPerPlan ? (
        <div className="grid gap-2 sm:grid-cols-2">
          {all.map(({ id, name }) => (
            <Field
              key={id}
              label={
                <>
                  <UserText>{name}</UserText>{" "}
                  <span className="font-mono font-normal text-muted">{id}</span>
                </>
              }
            >
              <NumberInput
                min={0}
                max={100}
                unit="%"
                value={shareOfPlan(value, id)}
                onValueChange={(next) => onChange({ ...value, [id]: next ?? 0 })}
              />
            </Field>
          ))}
        </div>
      ) : (
        <div className="flex flex-wrap items-end gap-2">
          <Field label="Share" className="w-36">
            <NumberInput
              min={0}
              max={100}
              unit="%"
              value={value}
              onValueChange={(next) => onChange(next ?? 0)}
            />
          </Field>
          <div className="flex flex-wrap gap-1.5">
            {STEPS.map((step) => (
              <Button key={step} aria-pressed={value === step} onClick={() => onChange(step)}>
                {step} %
              </Button>
            ))}
          </div>
        </div>
      )}
    </FieldGroup>
  );
}
