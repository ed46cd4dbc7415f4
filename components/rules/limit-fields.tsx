"use client";

import { FieldGroup } from "@/components/ui/field";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { AmountRow } from "./amount-row";
import { LimitKindFields } from "./limit-kind-fields";
import { isShedderWay, type Way, wayOf } from "./limit-ways";
import { useRuleForm } from "./rule-form";
import { recordAt } from "./rule-input";
import { WAY_WORDS } from "./way-words";

/** Which way to limit, and how much. */
export function LimitFields() {
  const form = useRuleForm();
  const way = wayOf(form.input);
  const hasAmounts = way !== null && !isShedderWay(way);
  return (
    <FieldGroup legend="How much">
      <LimitKindFields />
      {hasAmounts && <PlanAmounts way={way} />}
    </FieldGroup>
  );
}

function PlanAmounts({ way }: { way: Way }) {
  const form = useRuleForm();
  const perPlan = recordAt(form.input, ["limit", "perPlan"]);
  const planIds = form.plans.map(({ id }) => id);
  const unknown = Object.keys(perPlan).filter(
    (id) => !planIds.includes(id) && id !== ANONYMOUS_PLAN,
  );
  const error = form.errors.find(({ path }) => path === "limit.default");
  const whole = error && form.errorAt(["limit", "default"]);
  return (
    <div>
      <p className="text-sm font-medium">Amounts</p>
      <p className="mb-2 text-sm text-muted">{WAY_WORDS[way].amounts}</p>
      <div className="-mx-4 border-y sm:mx-0 sm:rounded-lg sm:border">
        {form.plans.map((plan) => (
          <AmountRow
            key={plan.id}
            path={["limit", "perPlan", plan.id]}
            name={plan.name}
            note={plan.id}
            plan={plan.id}
            way={way}
          />
        ))}
        {unknown.map((id) => (
          <AmountRow
            key={id}
            path={["limit", "perPlan", id]}
            name={id}
            note="there is no such plan"
            plan={id}
            way={way}
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
          way={way}
        />
        <AmountRow
          path={["limit", "default"]}
          name="Every other plan"
          note="also plans made later"
          plan={null}
          way={way}
        />
      </div>
      {whole && (
        <p role="alert" className="text-sm text-danger">
          {whole}
        </p>
      )}
    </div>
  );
}
