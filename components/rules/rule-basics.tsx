"use client";

import { useState } from "react";
import { Field, FieldGroup } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";
import { idOfName } from "./new-rule";
import { useRuleForm } from "./rule-form";
import { textAt } from "./rule-input";

/** Name, id and description. The id follows the name of a new rule until it is written by hand. */
export function RuleBasics({ isNew }: { isNew: boolean }) {
  const form = useRuleForm();
  const id = textAt(form.input, ["id"]);
  const name = textAt(form.input, ["name"]);
  const [isIdOwn, setIdOwn] = useState(!isNew || id !== idOfName(name));
  return (
    <FieldGroup legend="About">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" error={form.errorAt(["name"])}>
          <Input
            value={name}
            maxLength={200}
            placeholder="Requests per API key"
            onValueChange={(text) => {
              form.set(["name"], text);
              if (!isIdOwn) form.set(["id"], idOfName(text));
            }}
          />
        </Field>
        <Field
          label="Id"
          error={form.errorAt(["id"])}
          hint={isNew ? "In 429 answers, reports, the API. It stays." : "It cannot change."}
        >
          <Input
            code
            readOnly={!isNew}
            value={id}
            placeholder="per-key-rate"
            onValueChange={(text) => {
              setIdOwn(true);
              form.set(["id"], text);
            }}
          />
        </Field>
      </div>
      <Field label="Description" optional error={form.errorAt(["description"])}>
        <Textarea
          rows={2}
          value={textAt(form.input, ["description"])}
          placeholder="What it protects, and whom to ask."
          onChange={(event) => form.set(["description"], event.target.value)}
        />
      </Field>
    </FieldGroup>
  );
}
