"use client";

import { useState } from "react";
import { Field, FieldGroup } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { countByWords } from "@/lib/core/limit-sentence";
import { COUNT_BY } from "@/lib/core/rule";
import { ChoiceChips } from "./choice-chips";
import { isShedderWay, wayOf } from "./limit-ways";
import { useRuleForm } from "./rule-form";
import { listAt } from "./rule-input";

const PATH = ["countBy"] as const;

const WORDS: Record<(typeof COUNT_BY)[number], string> = {
  client: "Client (key, else IP)",
  apiKey: "API key",
  customer: "Customer",
  ip: "IP address",
  route: "Route",
  plan: "Plan",
  global: "Everything together",
};

/** What has a counter of its own. */
export function CountByFields() {
  const form = useRuleForm();
  const parts = listAt(form.input, PATH);
  const header = parts.find((part) => part.startsWith("header:")) ?? "";
  const [typed, setTyped] = useState(header.slice("header:".length));
  const name = `header:${typed}` === header || header === "" ? typed : header.slice(7);
  const known = parts.filter((part) => !part.startsWith("header:"));
  const others = parts.filter((part) => part.startsWith("header:") && part !== header);
  const isShedder = isShedderWay(wayOf(form.input));
  if (isShedder && parts.length === 1 && parts[0] === "global") {
    return (
      <FieldGroup
        legend="Counted by"
        hint="A shedder counts everything together: it holds the fleet or a gateway to its limit, not a client."
      >
        {null}
      </FieldGroup>
    );
  }

  function set(next: string[]) {
    // "Everything together" stands alone: whichever was chosen last wins.
    const isGlobalNew = next.includes("global") && !parts.includes("global");
    const kept = isGlobalNew
      ? ["global"]
      : next.filter((part) => part !== "global" || next.length === 1);
    form.set(PATH, kept);
  }

  return (
    <FieldGroup
      legend="Counted by"
      hint={
        parts.length === 0
          ? "Choose at least one."
          : `One counter ${countByWords(parts)}. Several choices make one counter for each combination.`
      }
    >
      <ChoiceChips
        label="Counter for each"
        choices={COUNT_BY.map((part) => ({ value: part, label: WORDS[part] }))}
        chosen={known}
        onChange={(chosen) => set([...chosen, ...(header === "" ? [] : [header]), ...others])}
        error={form.errorAt(PATH)}
      />
      <Field
        label="and value of the header"
        optional
        className="max-w-72"
        hint="A request without it is not counted by this rule."
      >
        <Input
          code
          placeholder="x-tenant"
          value={name}
          onValueChange={(value) => {
            setTyped(value);
            const part = value.trim() === "" ? [] : [`header:${value.trim().toLowerCase()}`];
            set([...known, ...part, ...others]);
          }}
        />
      </Field>
    </FieldGroup>
  );
}
