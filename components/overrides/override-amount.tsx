"use client";

import { AmountInputs } from "@/components/rules/amount-inputs";
import { valueAt } from "@/components/rules/object-path";
import { type RuleForm, RuleFormProvider } from "@/components/rules/rule-form";
import { Select } from "@/components/ui/select";
import { amountWay, startOf } from "./amount-input";
import type { RuleChoice } from "./override-actions";

type OverrideAmountProps = { form: RuleForm; rule: RuleChoice };

const PATH = ["limit", "default"];

/** The amount in the form that the rule's kind has. */
export function OverrideAmount({ form, rule }: OverrideAmountProps) {
  const way = amountWay(rule);
  if (way === null) return null;
  const isUnlimited = valueAt(form.input, PATH) === "unlimited";
  return (
    <RuleFormProvider value={{ ...form, plans: [], routes: [], live: null }}>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-sm font-medium">The override gives</legend>
        <div className="grid items-start gap-2 sm:grid-cols-[8.5rem_minmax(0,1fr)]">
          <Select
            aria-label="Override: limit"
            value={isUnlimited ? "unlimited" : "limited"}
            onValueChange={(next) =>
              form.set(PATH, next === "unlimited" ? "unlimited" : startOf(rule, undefined))
            }
            options={[
              { value: "limited", label: "Limited" },
              { value: "unlimited", label: "Unlimited" },
            ]}
          />
          {isUnlimited ? (
            <p className="text-sm text-muted sm:pt-1.5">This rule never refuses it.</p>
          ) : (
            <AmountInputs path={PATH} name="Override" way={way} />
          )}
        </div>
      </fieldset>
    </RuleFormProvider>
  );
}
