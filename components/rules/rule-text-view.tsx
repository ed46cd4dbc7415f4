"use client";

import { useMemo, useState } from "react";
import { parseDocument, stringify } from "yaml";
import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";
import { useRuleForm } from "./rule-form";
import type { RuleInput } from "./rule-input";

/** The same rule as YAML; JSON is YAML too, so either can be pasted. Keys that the form does not know stay. */
export function RuleTextView() {
  const form = useRuleForm();
  const [typed, setTyped] = useState(() => ({ text: textOf(form.input), input: form.input }));
  // The form, or another tab's save, may have gone on meanwhile.
  const text = typed.input === form.input ? typed.text : textOf(form.input);
  const problem = useMemo(() => readText(text), [text]);
  const wrong = form.errors.filter(({ path }) => form.errorAt([path]) !== undefined);
  const lines = text.split("\n").length;

  function change(next: string) {
    const read = readText(next);
    if (read.ok) form.replace(read.input);
    setTyped({ text: next, input: read.ok ? read.input : form.input });
  }

  return (
    <Field
      label="Rule as YAML"
      hint="YAML or JSON. What is valid here is in the form, too; nothing is saved before you save."
      error={problem.ok ? undefined : problem.message}
    >
      <Textarea
        code
        dir="ltr"
        rows={Math.min(40, Math.max(18, lines + 1))}
        className="leading-5"
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      {problem.ok && wrong.length > 0 && (
        <ul className="flex flex-col gap-0.5 text-sm text-danger">
          {wrong.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== "" && <code className="me-1.5 font-mono">{path}</code>}
              {message}
            </li>
          ))}
        </ul>
      )}
    </Field>
  );
}

function textOf(input: RuleInput): string {
  return stringify(input, { lineWidth: 0, aliasDuplicateObjects: false });
}

type Read = { ok: true; input: RuleInput } | { ok: false; message: string };

function readText(text: string): Read {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, message: error.message.split("\n")[0] ?? "" };
  let value: unknown;
  try {
    // Bounded: aliases of aliases would blow a short text up into gigabytes.
    value = document.toJS({ maxAliasCount: 20 });
  } catch (cause) {
    return { ok: false, message: cause instanceof Error ? cause.message : String(cause) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { ok: false, message: "a rule is an object such as `id: per-key-rate`, with fields" };
  return { ok: true, input: Object.fromEntries(Object.entries(value)) };
}
