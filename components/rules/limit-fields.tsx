"use client";

import { FieldGroup } from "@/components/ui/field";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { AmountRow } from "./amount-row";
import { useRuleForm } from "./rule-form";
import { recordAt } from "./rule-input";

/** How much, plan by plan. */
export function LimitFields() {
  const form = useRuleForm();
  const perPlan = recordAt(form.input, ["limit", "perPlan"]);
  const planIds = form.plans.map(({ id }) => id);
  const unknown = Object.keys(perPlan).filter(
    (id) => !planIds.includes(id) && id !== ANONYMOUS_PLAN,
  );
  const error = form.errors.find(({ path }) => path === "limit.default");
  const whole = error && form.errorAt(["limit", "default"]);
  return (
    <FieldGroup
      legend="How much"
      hint={
        <>
          So many requests in each interval, saved up to the burst. Intervals as <code>90s</code>,{" "}
          <code>1m</code>, <code>1h</code> or <code>1d</code>, at most 30 days.
        </>
      }
    >
      <div className="-mx-4 border-y sm:mx-0 sm:rounded-lg sm:border">
        {form.plans.map((plan) => (
          <AmountRow
            key={plan.id}
            path={["limit", "perPlan", plan.id]}
            name={plan.name}
            note={plan.id}
            plan={plan.id}
          />
        ))}
        {unknown.map((id) => (
          <AmountRow
            key={id}
            path={["limit", "perPlan", id]}
            name={id}
            note="there is no such plan"
            plan={id}
          />
        ))}
        <AmountRow
          path={
            Object.hasOwn(perPlan, ANONYMOUS_PLAN)
              ? ["limit", "perPlan", ANONYMOUS_PLAN]
              : ["limit", "anonymous"]
          }
          name="Anonymous"
          note="requests without a key"
          plan={ANONYMOUS_PLAN}
        />
        <AmountRow
          path={["limit", "default"]}
          name="Every other plan"
          note="also plans made later"
          plan={null}
        />
      </div>
      {whole && (
        <p role="alert" className="text-sm text-danger">
          {whole}
        </p>
      )}
    </FieldGroup>
  );
}
