"use client";

import { FieldGroup } from "@/components/ui/field";
import { RadioGroup } from "@/components/ui/radio-group";
import { ANONYMOUS_PLAN } from "@/lib/core/plan";
import { METHODS } from "@/lib/core/rule";
import { ChoiceChips } from "./choice-chips";
import { HeaderFields } from "./header-fields";
import { LinesField } from "./lines-field";
import { valueAt } from "./object-path";
import { useRuleForm } from "./rule-form";
import { listAt } from "./rule-input";

const KEY_CHOICES = [
  { value: "any", label: "With or without a key" },
  { value: "true", label: "Only with a valid key" },
  { value: "false", label: "Only without" },
] as const;

/** Which requests the rule is about. */
export function MatchFields() {
  const form = useRuleForm();
  const setList = (name: string) => (chosen: string[]) =>
    form.set(["match", name], chosen.length === 0 ? undefined : chosen);
  const authenticated = valueAt(form.input, ["match", "authenticated"]);
  return (
    <FieldGroup
      legend="Which requests"
      hint="Every condition that you set must hold. With none, the rule matches every request."
    >
      <div className="grid gap-4 lg:grid-cols-2">
        <LinesField
          path={["match", "routes"]}
          label="Paths"
          placeholder={"/v1/links/**\n/v1/messages/:id"}
          hint={
            <>
              One a line. <code>*</code> or <code>:name</code> is one segment, <code>**</code> any
              number.
            </>
          }
        />
        <LinesField
          path={["match", "ips"]}
          label="Client addresses"
          placeholder={"198.51.100.0/24\n2001:db8::/48"}
          hint="One address or range a line."
        />
      </div>
      <ChoiceChips
        label="Methods"
        hint="None chosen: every method."
        choices={METHODS.map((method) => ({ value: method, label: method, code: true }))}
        chosen={listAt(form.input, ["match", "methods"])}
        onChange={setList("methods")}
        error={form.errorAt(["match", "methods"])}
      />
      <ChoiceChips
        label="Plans"
        hint="None chosen: every plan, and requests without a key."
        choices={[
          ...form.plans.map(({ id, name }) => ({ value: id, label: name })),
          { value: ANONYMOUS_PLAN, label: "Anonymous" },
        ]}
        chosen={listAt(form.input, ["match", "plans"])}
        onChange={setList("plans")}
        error={form.errorAt(["match", "plans"])}
      />
      <div>
        <p id="match-authenticated" className="mb-1 text-sm font-medium">
          API key
        </p>
        <RadioGroup
          aria-labelledby="match-authenticated"
          className="sm:flex-row sm:gap-5"
          options={KEY_CHOICES}
          value={authenticated === true ? "true" : authenticated === false ? "false" : "any"}
          onValueChange={(value) =>
            form.set(["match", "authenticated"], value === "any" ? undefined : value === "true")
          }
        />
      </div>
      <HeaderFields />
    </FieldGroup>
  );
}
