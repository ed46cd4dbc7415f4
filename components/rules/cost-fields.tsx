"use client";

import { X } from "lucide-react";
import { Combobox } from "@/components/ui/combobox";
import { Field } from "@/components/ui/field";
import { IconButton } from "@/components/ui/icon-button";
import { Input } from "@/components/ui/input";
import { NumberInput } from "@/components/ui/number-input";
import { Select } from "@/components/ui/select";
import { UserText } from "@/components/ui/user-text";
import { valueAt, withValueAt } from "./object-path";
import { useRuleForm } from "./rule-form";
import { numberAt, recordAt, textAt } from "./rule-input";

const FORMS = [
  { value: "number", label: "The same for all" },
  { value: "routes", label: "By route" },
  { value: "header", label: "As a header says" },
] as const;

type Form = (typeof FORMS)[number]["value"];

/** Tokens that a request takes: the same for all, by route template, or as a trusted hop's header says. */
export function CostFields() {
  const form = useRuleForm();
  const cost = valueAt(form.input, ["cost"]);
  const record = recordAt(form.input, ["cost"]);
  const chosen: Form = "routes" in record ? "routes" : "header" in record ? "header" : "number";
  const otherwise = chosen === "number" ? numberOr1(cost) : numberOr1(record.default);

  function choose(next: Form) {
    if (next === chosen) return;
    if (next === "number") form.set(["cost"], otherwise);
    else if (next === "routes") form.set(["cost"], { routes: {}, default: otherwise });
    else form.set(["cost"], { header: "x-cost", default: otherwise });
  }

  const path = chosen === "number" ? ["cost"] : ["cost", "default"];
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Cost of a request" hint="Tokens that each takes.">
          <Select options={FORMS} value={chosen} onValueChange={choose} />
        </Field>
        {chosen === "header" && (
          <Field
            label="Header"
            hint="Read from trusted hops only."
            error={form.errorAt(["cost", "header"])}
          >
            <Input
              code
              placeholder="x-cost"
              value={textAt(form.input, ["cost", "header"])}
              onValueChange={(text) => form.set(["cost", "header"], text.trim().toLowerCase())}
            />
          </Field>
        )}
        <Field label={OTHERWISE[chosen]} error={form.errorAt(path)}>
          <NumberInput
            min={0}
            max={1_000_000}
            value={numberAt(form.input, path)}
            onValueChange={(value) => form.set(path, value)}
          />
        </Field>
      </div>
      {chosen === "routes" && <RouteCosts />}
    </div>
  );
}

const OTHERWISE: Record<Form, string> = {
  number: "Tokens",
  routes: "Tokens on other routes",
  header: "Tokens without the header",
};

function numberOr1(value: unknown): number {
  return typeof value === "number" ? value : 1;
}

function RouteCosts() {
  const form = useRuleForm();
  const path = ["cost", "routes"];
  const costs = recordAt(form.input, path);
  const left = form.routes.filter((route) => !Object.hasOwn(costs, route));
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">Tokens by route template</legend>
      <div className="mt-1 flex max-w-160 flex-col gap-2">
        {Object.keys(costs).map((route) => (
          <Field
            key={route}
            label={`Tokens on ${route}`}
            hideLabel
            error={form.errorAt([...path, route])}
          >
            <div className="flex items-center gap-2">
              <UserText truncate className="min-w-0 flex-1 font-mono text-sm">
                {route}
              </UserText>
              <NumberInput
                className="w-36"
                min={0}
                max={1_000_000}
                aria-label={`Tokens on ${route}`}
                value={numberAt(form.input, [...path, route])}
                onValueChange={(value) => form.set([...path, route], value)}
              />
              <IconButton
                label={`Remove ${route}`}
                icon={<X aria-hidden />}
                onClick={() => form.set(path, withValueAt(costs, [route], undefined))}
              />
            </div>
          </Field>
        ))}
        {left.length > 0 ? (
          <Combobox
            key={Object.keys(costs).length}
            aria-label="Add a route template"
            placeholder="Add a route template"
            options={left.map((route) => ({ value: route, label: route }))}
            value={null}
            onValueChange={(route) => route !== null && form.set([...path, route], 1)}
          />
        ) : (
          <p className="text-sm text-muted">
            {form.routes.length === 0
              ? "There are no route templates yet: every request is on route “other”."
              : "Every route template has a cost of its own."}
          </p>
        )}
      </div>
    </fieldset>
  );
}
